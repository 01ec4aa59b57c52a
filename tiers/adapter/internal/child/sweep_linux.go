package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// sweepIf kills and reaps every child that this process has, if it may, and tells
// how many are left.
func (e *engine) sweepIf(w *patience) (left int) {
	if !e.sweeps {
		return 0
	}
	for {
		switch reapOne(-1) {
		case -1: // no child is left
			e.littered = false
			return 0
		case 0: // none that is dead
			killed := e.killFamily(w)
			if w.over() {
				e.littered = true
				return max(1, killed)
			}
			e.pause(w, -1, buryInterval)
		}
	}
}

// aChild finds a child of this process that is not dead, 0 for none. A program that
// was started by exec in a shell has those that the shell left in the background.
func aChild() int {
	for _, pid := range processes() {
		if parent, ok := parentOf(pid); ok && parent == os.Getpid() && !isDead(pid) {
			return pid
		}
	}
	return 0
}

// killFamily kills the descendants of this process and tells how many it found.
//
// Each is stopped first. Whoever is killed makes room below a limit of processes,
// into which those fork that are not killed yet, for ever. Whoever is stopped forks
// no more, keeps its place, and leaves the processor to this process, so the family
// stops growing, and is killed once it has. If the time is over before, those that
// are stopped already are left so for the next time; unless there is none, because
// the runner was stopped.
func (e *engine) killFamily(w *patience) int {
	family, whole := e.stopFamily(w)
	if whole || w.hurried {
		for _, pid := range family {
			// The number is still its own: its parent, who could reap it, is stopped,
			// or is this process.
			_ = e.kill(pid, unix.SIGKILL)
		}
	}
	return len(family)
}

// stopFamily stops the descendants, and reports whether these were all.
func (e *engine) stopFamily(w *patience) (family []int, whole bool) {
	known := map[int]bool{os.Getpid(): true}
	for grown := true; grown; {
		grown = false
		for _, pid := range processes() {
			if w.over() {
				return family, false
			}
			// In the order of numbers, parents mostly come before their children.
			parent, stopped, ok := look(pid)
			if ok && known[parent] && !known[pid] && (stopped || e.stopChild(pid, parent)) {
				known[pid], grown = true, true
				family = append(family, pid)
			}
		}
	}
	return family, true
}

// stopChild stops a process, unless its number has meanwhile gone to a stranger: a
// grandchild is reaped by its parent. So the handle is taken first and the parent
// looked at then: it is the process with that parent that is meant.
func (e *engine) stopChild(pid, parent int) bool {
	handle, err := e.pidfdOpen(pid, 0)
	if err == nil {
		defer func() { _ = unix.Close(handle) }()
	}
	if now, ok := parentOf(pid); !ok || now != parent {
		return false
	}
	if err != nil { // without handles, or descriptors, a gap of some µs stays
		return unix.Kill(pid, unix.SIGSTOP) == nil
	}
	return unix.PidfdSendSignal(handle, unix.SIGSTOP, nil, 0) == nil
}
