package child

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// engine is what runs a command on Linux. Only interrupt may be called beside
// another method.
type engine struct {
	argv, env []string
	timeout   time.Duration
	output    []byte // its capacity is one more than the limit
	sweeps    bool

	null int // for the command's input and errors
	stop int // an eventfd, readable for ever once somebody stops

	left     int  // a command that did not die in time
	littered bool // the last sweep did not get everything

	// What tests replace, to be refused a handle and to fail to kill.
	pidfdOpen func(pid, flags int) (int, error)
	kill      func(pid int, signal syscall.Signal) error
}

func newEngine(c Config) (*engine, error) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("child: opening %s: %w", os.DevNull, err)
	}
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		_ = unix.Close(null)
		return nil, fmt.Errorf("child: making an eventfd: %w", err)
	}
	e := &engine{
		argv: c.Argv, env: c.Env, timeout: c.Timeout, sweeps: c.Subreaper,
		output: make([]byte, 0, c.MaxOutput+1),
		null:   null, stop: stop,
		pidfdOpen: unix.PidfdOpen, kill: unix.Kill,
	}
	if c.Subreaper {
		if pid := aChild(); pid != 0 {
			e.close()
			return nil, fmt.Errorf("child: Subreaper true: must be in a process without children, which it would kill: process %d is one", pid)
		}
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			e.close()
			return nil, fmt.Errorf("child: Subreaper true: must be allowed by the system: %w", err)
		}
	}
	return e, nil
}

// interrupt wakes every poll of this engine, now and later.
func (e *engine) interrupt() {
	_, _ = unix.Write(e.stop, binary.NativeEndian.AppendUint64(nil, 1))
}

func (e *engine) close() {
	_ = unix.Close(e.null)
	_ = unix.Close(e.stop)
}

// run runs the command once.
//
// The death signal of the command follows the thread that forked, not the process
// and not the goroutine. So the goroutine keeps its thread for as long as there is
// a command: an idle thread could be taken by another goroutine that ends locked
// to it, which ends the thread, and with it the command. When run returns, the
// command is dead, and the thread may go. Should the calling goroutine end in
// here, its thread would end with it, and the kernel would kill the command.
func (e *engine) run(started time.Time) ([]byte, *Error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if failure := e.settle(); failure != nil {
		return nil, failure
	}
	p, err := e.start()
	if err != nil {
		return nil, notStartedError(err)
	}
	defer p.release()

	e.output = e.output[:0]
	end := e.watch(p, started.Add(e.timeout))
	e.killGroup(p)
	if end == ended && !e.drain(p) {
		end = overflowed
	}
	status, left := e.bury(p, e.patienceAfter(end))
	if failure := e.judge(end, status, left); failure != nil {
		return nil, failure
	}
	return e.output, nil
}

// judge tells what is wrong with a run, if something is.
func (e *engine) judge(end end, status syscall.WaitStatus, left int) *Error {
	var failure *Error
	switch {
	case end == interrupted:
		failure = stoppedError()
	case end == expired:
		failure = timeoutError(e.timeout)
	case end == overflowed:
		failure = tooLargeError(cap(e.output) - 1)
	case status.Signaled():
		failure = &Error{Kind: Exit, Reason: "signal " + status.Signal().String()}
	case !status.Exited() || status.ExitStatus() != 0:
		failure = &Error{Kind: Exit, Reason: fmt.Sprintf("status %d", status.ExitStatus())}
	case left > 0:
		failure = &Error{Kind: Leftover, Reason: "the command succeeded"}
	default:
		return nil
	}
	failure.Left = left
	return failure
}
