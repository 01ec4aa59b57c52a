//go:build loopvitals_yield

package board

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
)

// atYield, when set, is called at every yield point instead: a test decides
// there who goes on.
var atYield atomic.Pointer[func()]

// yield gives the processor away at every second call or so, so that
// operations overlap in the middle.
func yield() {
	if f := atYield.Load(); f != nil {
		(*f)()
	} else if rand.Uint32()&1 == 0 {
		runtime.Gosched()
	}
}
