package child

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// groupPatience is how long a killed group is waited for. What is left of it
	// then waits for a parent that does not reap.
	groupPatience = 50 * time.Millisecond
	// buryInterval is how often the dying are looked at.
	buryInterval = time.Millisecond
)

// patience is how long the dying are waited for. Stopping the runner shortens it.
type patience struct {
	until   time.Time
	hurried bool
}

func (e *engine) patienceAfter(end end) *patience {
	if end == interrupted {
		return &patience{until: time.Now().Add(stopPatience), hurried: true}
	}
	return &patience{until: time.Now().Add(killPatience)}
}

func (w *patience) over() bool { return !time.Now().Before(w.until) }

// pause waits for a moment, for the death of the process behind the pidfd, or for
// the request to stop.
func (e *engine) pause(w *patience, pidfd int, moment time.Duration) {
	moment = max(0, min(moment, time.Until(w.until)))
	stop := e.stop
	if w.hurried {
		stop = -1 // it is readable for ever
	}
	if poll(moment, stop, pidfd)[0] {
		w.hurried = true
		if sooner := time.Now().Add(stopPatience); sooner.Before(w.until) {
			w.until = sooner
		}
	}
}

// bury waits for a killed command to die, reaps it and all it left behind, and
// tells how many could not be killed.
func (e *engine) bury(p *process, w *patience) (status syscall.WaitStatus, left int) {
	for !p.dead() {
		if w.over() {
			e.left = p.pid
			return 0, 1
		}
		moment := time.Until(w.until)
		if p.pidfd < 0 {
			moment = peekInterval
		}
		e.pause(w, p.pidfd, moment)
	}
	status, ok := p.reap()
	if !ok {
		status = lostStatus
	}
	e.awaitGroup(p.pid, w)
	return status, e.sweepIf(w)
}

// lostStatus stands for a command that somebody else in this process has reaped.
// It looks like one that is stopped, which a dead one never is.
const lostStatus = syscall.WaitStatus(0x7f)

// awaitGroup waits until a killed group is gone, and reaps those of it that have
// become children of this process. As a rule it is gone already.
func (e *engine) awaitGroup(group int, w *patience) {
	until := time.Now().Add(groupPatience)
	for {
		for reapOne(-group) > 0 {
		}
		if unix.Kill(-group, 0) == unix.ESRCH || w.over() || !time.Now().Before(until) {
			return
		}
		e.pause(w, -1, buryInterval)
	}
}

// reapOne reaps a dead child, of those that wait4 means by which, and tells its
// number; 0 if none is dead, -1 if there is none at all.
func reapOne(which int) int {
	for {
		pid, err := unix.Wait4(which, nil, unix.WNOHANG, nil)
		switch err {
		case nil:
			return pid
		case unix.EINTR:
			continue
		default:
			return -1
		}
	}
}

// settle finishes what earlier runs had to leave. There is one command at most
// (S2.13), so none is started before that.
func (e *engine) settle() *Error {
	w, left := e.patienceAfter(ended), 0
	switch {
	case e.left != 0:
		p := &process{pid: e.left, pidfd: -1, out: -1}
		e.left = 0
		e.killGroup(p)
		_, left = e.bury(p, w)
	case e.littered:
		left = e.sweepIf(w)
	}
	if left == 0 {
		return nil
	}
	return &Error{Kind: NotStarted, Reason: "what an earlier run left behind is not dead yet", Left: left}
}
