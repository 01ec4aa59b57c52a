package adapter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Adapter samples one node and answers for it. Make one with New; nil and the zero
// Adapter do nothing, and say so.
type Adapter struct {
	config Config // as validated
	runner runner
	server server
	now    func() instant // never the calendar's clock

	standing atomic.Pointer[standing]
	usage    meter
	journal  journal // of the sampler

	ran      atomic.Bool
	stopOnce sync.Once
	stop     chan struct{} // closed when it stops
}

// New validates the configuration and listens; the command is not started before
// Run. The caller must call Run or Stop, which end the listening.
func New(c Config, options ...Option) (*Adapter, error) {
	c, err := c.validate()
	if err != nil {
		return nil, err
	}
	a := newAdapter(c)
	for _, option := range options {
		if option != nil {
			option.apply(a)
		}
	}
	if a.server, err = newServer(c, a.answer); err != nil {
		return nil, err
	}
	if a.runner, err = newRunner(c); err != nil {
		a.server.Stop()
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return a, nil
}

// newAdapter makes one without a runner and without a server.
func newAdapter(c Config) *Adapter {
	return &Adapter{
		config:  c,
		now:     now,
		journal: journal{logger: slog.New(slog.DiscardHandler), config: c},
		stop:    make(chan struct{}),
	}
}

// made tells whether New made it.
func (a *Adapter) made() bool { return a != nil && a.stop != nil }

// Addr is where it listens, or has listened.
func (a *Adapter) Addr() netip.AddrPort {
	if !a.made() {
		return netip.AddrPort{}
	}
	return a.server.Addr()
}

// Errors of Run.
var (
	errNotMade = errors.New("adapter: Adapter: must be made by New")
	errRan     = errors.New("adapter: Run: must be called once")
	errSampler = errors.New("adapter: the logger ended the sampler's goroutine")
)

// Run samples and answers until ctx is done or Stop is called, and returns nil
// then; it returns an error when it cannot serve. It answers in the caller's
// goroutine and samples in one more (S2.13), and has joined that one, killed the
// command and closed every socket when it returns (S2.16). A nil ctx has no end. It
// can be called once.
func (a *Adapter) Run(ctx context.Context) error {
	if !a.made() {
		return errNotMade
	}
	if a.ran.Swap(true) {
		return errRan
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	forget := context.AfterFunc(ctx, a.Stop)
	defer forget()

	sampled := make(chan error, 1)
	go func() {
		err := errSampler
		defer func() {
			a.Stop() // a server without a sampler could only ever say no
			sampled <- err
		}()
		a.samples()
		err = nil
	}()
	served := a.server.Serve()
	a.Stop()
	return errors.Join(served, <-sampled)
}

// Stop has Run kill a running command, with all that it started, and return. It
// does not wait for that. It may be called from any goroutine, again, and before
// Run, which then returns at once.
func (a *Adapter) Stop() {
	if !a.made() {
		return
	}
	a.stopOnce.Do(func() {
		close(a.stop)
		a.runner.Stop()
		a.server.Stop()
	})
}

// stopped tells whether Stop was called.
func (a *Adapter) stopped() bool {
	select {
	case <-a.stop:
		return true
	default:
		return false
	}
}

// answer tells whether a probe of e gets a yes at this moment. It reads the clock
// after it has taken what it judges, so that nothing looks younger than it is
// (S2.11). It starts nothing and changes nothing (S2.10).
func (a *Adapter) answer(e endpoint) bool {
	s := a.standing.Load()
	return s.holds(e, a.now(), a.config.MaximumAge)
}
