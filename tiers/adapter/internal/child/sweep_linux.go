package child

import (
	"golang.org/x/sys/unix"
)

// sweepIf kills and reaps every child that this process has, if it may, and tells
// how many are left.
func (e *engine) sweepIf(w *patience) (left int) {
	if !e.sweeps {
		return 0
	}
	for {
		for {
			pid := reapOne(-1)
			if pid < 0 {
				e.littered = false
				return 0
			}
			if pid == 0 {
				break
			}
		}
		family := e.killFamily(w)
		if w.over() {
			e.littered = true
			return max(1, family)
		}
		e.pause(w, -1, buryInterval)
	}
}

// killFamily kills all descendants of this process and tells how many there were.
// Each is stopped first: whoever is killed makes room below a limit of processes,
// and those not killed yet fork into it, for ever. Whoever is stopped forks no
// more and keeps its place, so the family stops growing, and only then it dies.
func (e *engine) killFamily(w *patience) int {
	stopped := map[int]bool{}
	for grown := true; grown && !w.over(); {
		grown = false
		for _, r := range descendants() {
			if !stopped[r.pid] {
				e.signal(r, unix.SIGSTOP)
				stopped[r.pid], grown = true, true
			}
		}
	}
	family := descendants()
	for _, r := range family {
		e.signal(r, unix.SIGKILL)
	}
	return len(family)
}
