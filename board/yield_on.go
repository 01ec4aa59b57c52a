//go:build loopvitals_yield

package board

import (
	"math/rand/v2"
	"runtime"
)

// yield gives the processor away at every second call or so, so that
// operations overlap in the middle.
func yield() {
	if rand.Uint32()&1 == 0 {
		runtime.Gosched()
	}
}
