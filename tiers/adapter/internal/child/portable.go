package child

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// portable runs a command by os/exec, on systems without an engine of their own.
// It is compiled everywhere, so that its tests run where the others do.
type portable struct {
	config Config
	life   context.Context
	end    context.CancelFunc
	output []byte
}

var errOverflow = errors.New("too much output")

func newPortable(c Config) (*portable, error) {
	if c.Subreaper {
		return nil, errors.New("child: Subreaper true: must be false on this system")
	}
	life, end := context.WithCancel(context.Background())
	return &portable{config: c, life: life, end: end}, nil
}

func (p *portable) interrupt() { p.end() }

func (p *portable) close() {}

// run runs the command once. Two goroutines of os/exec help: one reads, one
// watches the limit, and both end before it returns.
func (p *portable) run(started time.Time) ([]byte, *Error) {
	limit, cancel := context.WithDeadline(p.life, started.Add(p.config.Timeout))
	defer cancel()
	running, overflow := context.WithCancelCause(limit)
	defer overflow(nil)

	p.output = p.output[:0]
	command := exec.CommandContext(running, p.config.Argv[0], p.config.Argv[1:]...)
	command.Env = append([]string{}, p.config.Env...) // nil would inherit
	command.Dir = "/"
	command.Stdout = writerFunc(func(data []byte) (int, error) {
		if len(p.output)+len(data) > p.config.MaxOutput {
			overflow(errOverflow)
			return 0, errOverflow
		}
		p.output = append(p.output, data...)
		return len(data), nil
	})
	command.WaitDelay = stopPatience
	command.Cancel = func() error { return killTree(command.Process) }
	isolate(command)

	if err := command.Start(); err != nil {
		if p.life.Err() != nil {
			return nil, stoppedError()
		}
		return nil, notStartedError(err)
	}
	err := command.Wait()
	_ = killTree(command.Process) // what the command has left in its group
	if failure := p.judge(context.Cause(running), err); failure != nil {
		return nil, failure
	}
	return p.output, nil
}

// judge tells what is wrong with a run, if something is.
func (p *portable) judge(cause, err error) *Error {
	switch {
	case p.life.Err() != nil:
		return stoppedError()
	case errors.Is(cause, errOverflow):
		return tooLargeError(p.config.MaxOutput)
	case cause != nil:
		return timeoutError(p.config.Timeout)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // somebody else holds the output open
		return &Error{Kind: Exit, Reason: err.Error(), Err: err}
	default:
		return nil
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(data []byte) (int, error) { return w(data) }
