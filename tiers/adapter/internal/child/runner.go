package child

import (
	"errors"
	"sync"
	"time"
)

// How long a death is waited for after SIGKILL, which takes the kernel a moment.
const (
	// killPatience is for one run: there is no hurry, and the output is void or
	// complete already.
	killPatience = time.Second
	// stopPatience is counted from [Runner.Stop]: the program wants to end.
	stopPatience = 300 * time.Millisecond
)

// Runner runs one command again and again (S2.2, S2.14). Its methods may be called
// from any goroutine. A nil Runner, and one that [New] did not make, runs nothing.
type Runner struct {
	mu      sync.Mutex
	running bool
	stopped bool
	engine  *engine
}

// New makes a runner. It starts nothing yet, and does not look at the command. It
// holds two file descriptors until [Runner.Stop] and the run in progress are over.
func New(c Config) (*Runner, error) {
	c, err := c.validate()
	if err != nil {
		return nil, err
	}
	e, err := newEngine(c)
	if err != nil {
		return nil, err
	}
	return &Runner{engine: e}, nil
}

// Run runs the command once, and returns when it and its group are dead and
// reaped: at the latest [Config.Timeout] after the start and a second for its death;
// and another one before, if an earlier run has left something. The output belongs to
// the runner and is valid until the next Run; that of a failed run is never returned.
// The time is when the run started, before the command did, so that an age counted
// from it is never too small (S2.11). The error is an [*Error].
//
// One run at a time: a second one fails at once.
func (r *Runner) Run() (output []byte, started time.Time, err error) {
	started = time.Now()
	if failure := r.enter(); failure != nil {
		return nil, started, failure
	}
	defer r.leave()
	output, failure := r.engine.run(started)
	if failure != nil {
		return nil, started, failure
	}
	return output, started, nil
}

// Stop kills the command that is running, whose [Runner.Run] then fails as
// [Stopped], and every later one fails the same way. It does not wait, and may be
// called again. The run returns as soon as the command is dead, and at the latest
// 300 ms later (S2.16).
func (r *Runner) Stop() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.engine == nil {
		return
	}
	r.stopped = true
	r.engine.interrupt()
	if !r.running {
		r.engine.close()
	}
}

// enter takes the one place for a run.
func (r *Runner) enter() *Error {
	if r == nil {
		return notStartedError(errNotMade)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.engine == nil:
		return notStartedError(errNotMade)
	case r.stopped:
		return stoppedError()
	case r.running:
		return notStartedError(errBusy)
	}
	r.running = true
	return nil
}

// leave gives the place back. Whoever is last, the run or the stop, closes what
// the runner holds.
func (r *Runner) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = false
	if r.stopped {
		r.engine.close()
	}
}

var (
	errNotMade = errors.New("the runner was not made by New")
	errBusy    = errors.New("a run is in progress")
)
