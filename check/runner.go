package check

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/benbjohnson/clock"
)

// Runner runs one check on behalf of all who ask. See the package comment for
// what it guarantees. Its methods may be called by any goroutine, also from
// inside the check and the hooks; those of a nil Runner answer Unhealthy and
// zero. A Runner has no goroutine while nothing runs and needs no closing.
type Runner struct {
	name     string
	checker  Checker
	instant  bool
	sampling Sampling // resolved
	clock    clock.Clock
	outlets  []*outlet
	// detached is what every run's context is made from: nothing of a caller,
	// and the profiler's label by which a hung check is found in a dump.
	detached context.Context //nolint:containedctx // it belongs to the check, not to a request
	// errTimeout is made once: a hung check under a storm of probes is
	// answered without an allocation.
	errTimeout error

	mu        sync.Mutex
	current   *run // the newest run that has not returned, hung or not
	abandoned *run // a hung run that another may run beside
	newest    *run // the settled run that started last
	inFlight  int
	hung      int
	events    Events
}

// Events are what happened at a Runner since it was made; they only grow.
type Events struct {
	// Runs is how many runs were started.
	Runs uint64
	// LateAnswers is how many runs returned at their limit or after it, so
	// that what they said was dropped.
	LateAnswers uint64
	// Transitions is how many times the status changed from one sample to
	// the next. There is no hysteresis: each sample stands for itself, and
	// how many bad ones take a node out is for the prober to say.
	Transitions uint64
	// DroppedSamples is how many samples a slow log handler or observer
	// missed.
	DroppedSamples uint64
}

// NewRunner returns a Runner for c. The name becomes a JSON key and a metric
// label: 1 to 200 bytes of valid UTF-8 without control, format or separator
// characters. A nil checker, a nil pointer or function in it, and a Sampling
// out of bounds are refused with field, value and bound.
func NewRunner(name string, c Checker, s Sampling, opts ...Option) (*Runner, error) {
	if err := validName(name); err != nil {
		return nil, err
	}
	if err := usable(c); err != nil {
		return nil, err
	}
	sampling, err := s.resolved()
	if err != nil {
		return nil, err
	}
	if below, ok := c.(*Runner); ok && s.MaxAge == 0 {
		// Its results are as old here as there, and how old they may be was said there.
		sampling.MaxAge = max(sampling.MaxAge, below.MaxAge())
	}
	_, instant := c.(Instant)
	r := &Runner{
		name: name, checker: c, instant: instant, sampling: sampling, clock: clock.New(),
		//nolint:forbidigo // a run is detached from every caller
		detached:   pprof.WithLabels(context.Background(), pprof.Labels("check", name)),
		errTimeout: fmt.Errorf("check: no answer within %v", sampling.Limit),
	}
	for _, o := range opts {
		if o != nil {
			o.apply(r)
		}
	}
	return r, nil
}

// Check answers within the check's limit, or sooner when ctx ends: the caller
// then gets Unhealthy for itself, while the run goes on for the others. See
// Sample for the cost.
func (r *Runner) Check(ctx context.Context) Result { return r.Sample(ctx).Result }

// Sample is Check with what is known about the run that gave the answer. A
// result that is reused costs a lock and a reading of the clock, and allocates
// nothing; a run costs a goroutine and a timer.
func (r *Runner) Sample(ctx context.Context) Sample {
	if r == nil || r.checker == nil {
		return Sample{Result: Result{Description: Failed.String()}}
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	s, x := r.ask(ctx, false)
	if x != nil {
		s = r.await(ctx, x)
	}
	return s
}

// CheckAll asks all runners at the same time and gives the sample of each to
// tell, with its place in runners: first those that are known at once, in order,
// then the rest, as their runs end or ctx does. It waits in the caller's
// goroutine, so a tier of many checks costs one goroutine for each run that is
// really started, and a lock for a result that is reused. The Sample that tell is
// given is lent for the call.
func CheckAll(ctx context.Context, runners []*Runner, tell func(i int, s *Sample)) {
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	var (
		s     Sample
		waits []*run
		read  clock.Clock // that now was read from
		now   time.Time
	)
	for i, r := range runners {
		if r == nil || r.checker == nil {
			s = r.Sample(ctx)
			tell(i, &s)
			continue
		}
		// Runners of one set share a clock, and reading it is most of what
		// reusing a result costs.
		if r.clock != read {
			read, now = r.clock, r.clock.Now()
		}
		if x, since := r.reuse(now); x != nil {
			r.age(&s, x, since)
			tell(i, &s)
			continue
		}
		var x *run
		if s, x = r.ask(ctx, false); x == nil {
			tell(i, &s)
			continue
		}
		if waits == nil {
			waits = make([]*run, len(runners))
		}
		waits[i] = x
	}
	for i, x := range waits {
		if x != nil {
			s = x.owner.await(ctx, x)
			tell(i, &s)
		}
	}
}

// Last returns the newest sample without running anything, for those who only
// look, such as an exporter. False is "never sampled".
func (r *Runner) Last() (Sample, bool) {
	if r == nil || r.checker == nil {
		return Sample{}, false
	}
	now := r.clock.Now()
	r.mu.Lock()
	x := r.newest
	r.mu.Unlock()
	if x == nil {
		return Sample{Name: r.name, Result: Result{Description: expiredText}}, false
	}
	return r.aged(x, now), true
}

// Name returns the name given to NewRunner.
func (r *Runner) Name() string {
	if r == nil {
		return ""
	}
	return r.name
}

// Instant tells whether the check is evaluated afresh for every caller.
func (r *Runner) Instant() bool { return r != nil && r.instant }

// MaxAge returns the age past which a result is Unhealthy, whatever it said.
func (r *Runner) MaxAge() time.Duration {
	if r == nil {
		return 0
	}
	return r.sampling.MaxAge
}

// Hung returns the number of runs past their limit that have not returned:
// each costs a goroutine until it does, which a goroutine profile shows with
// the label check and the runner's name. It is 0 or 1, and 2 at most with
// Sampling.AbandonAfter; for an Instant check as many as ran at the same time.
func (r *Runner) Hung() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hung
}

// Events returns the counters.
func (r *Runner) Events() Events {
	if r == nil {
		return Events{}
	}
	r.mu.Lock()
	events := r.events
	r.mu.Unlock()
	for _, o := range r.outlets {
		events.DroppedSamples += o.lost()
	}
	return events
}

// ErrNoSchedule is what Run returns for a Sampling without Every.
var ErrNoSchedule = errors.New("check: every 0s: must be set for a schedule")
