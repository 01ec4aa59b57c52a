package redundancy

import (
	"runtime"
	"time"
)

// goroutines returns how many there are, and gives those that are ending the time for
// it while there are more than the limit: the runtime counts them for a moment longer
// than a bubble does.
func goroutines(limit int) (n int) {
	for range 10_000 {
		if n = runtime.NumGoroutine(); n <= limit {
			return n
		}
		time.Sleep(time.Nanosecond)
	}
	return n
}
