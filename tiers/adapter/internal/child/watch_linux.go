package child

import (
	"time"

	"golang.org/x/sys/unix"
)

// end is why the watch over a command ended.
type end uint8

const (
	ended       end = iota // by itself
	expired                // its time was up
	overflowed             // it printed too much
	interrupted            // somebody stops the runner
)

// peekInterval is how often a death is looked for where the system has no pidfd.
const peekInterval = 2 * time.Millisecond

// watch reads the output until the command ends, or must. It is over at the
// deadline whatever the command does: closes its output and hangs, dribbles, floods.
func (e *engine) watch(p *process, deadline time.Time) end {
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return expired
		}
		if p.pidfd < 0 {
			left = min(left, peekInterval)
		}
		ready := poll(left, e.stop, p.out, p.pidfd)
		switch {
		case ready[0]:
			return interrupted
		case ready[1] && !e.read(p):
			return overflowed
		case (ready[2] || p.pidfd < 0) && p.dead():
			return ended
		}
	}
}

// drain reads what a dead command has left in the pipe, and does not wait for
// more: somebody else may hold the pipe open. It reports false at the limit.
func (e *engine) drain(p *process) bool {
	for p.out >= 0 && poll(0, p.out)[0] {
		if !e.read(p) {
			return false
		}
	}
	return true
}

// read takes once what there is, and reports false when it is more than allowed.
func (e *engine) read(p *process) bool {
	n, err := unix.Read(p.out, e.output[len(e.output):cap(e.output)])
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		return true
	case err != nil || n == 0:
		_ = unix.Close(p.out)
		p.out = -1
		return true
	}
	e.output = e.output[:len(e.output)+n]
	return len(e.output) < cap(e.output)
}

// poll waits until one of the descriptors is readable or at its end, and tells
// which. One below zero never is. A signal may end it early.
func poll(patience time.Duration, descriptors ...int) [3]bool {
	var (
		set   [3]unix.PollFd
		ready [3]bool
	)
	for i, fd := range descriptors {
		set[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	timeout := unix.NsecToTimespec(patience.Nanoseconds())
	if _, err := unix.Ppoll(set[:len(descriptors)], &timeout, nil); err != nil {
		return ready
	}
	for i := range descriptors {
		ready[i] = set[i].Revents != 0
	}
	return ready
}
