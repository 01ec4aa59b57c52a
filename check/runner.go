package check

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/benbjohnson/clock"
)

// ErrNoSchedule is what Run returns when Sampling.Every is 0.
var ErrNoSchedule = errors.New("check: no schedule: every is 0")

// Runner runs one check for all who ask.
type Runner struct {
	name    string
	checker Checker
	clock   clock.Clock
	log     *slog.Logger
	observe func(Sample)
}

// NewRunner returns a Runner for c.
func NewRunner(name string, c Checker, s Sampling, opts ...Option) (*Runner, error) {
	return &Runner{name: name, checker: c, clock: clock.New()}, nil
}

// Check answers the caller.
func (r *Runner) Check(ctx context.Context) Result { return r.Sample(ctx).Result }

// Sample is Check with what is known about the run that gave the answer.
func (r *Runner) Sample(ctx context.Context) Sample {
	return Sample{Name: r.name, Result: r.checker.Check(ctx)}
}

// CheckAll asks all runners at the same time and appends their samples to dst
// in the order of runners. It waits in the caller's goroutine, so that a tier
// of many checks costs a goroutine only for each run that is really started.
func CheckAll(ctx context.Context, dst []Sample, runners []*Runner) []Sample {
	for _, r := range runners {
		dst = append(dst, r.Sample(ctx))
	}
	return dst
}

// Run takes a sample at every interval until ctx ends.
func (r *Runner) Run(ctx context.Context) error { return ErrNoSchedule }

// Last returns the newest sample without running anything.
func (r *Runner) Last() (Sample, bool) { return Sample{}, false }

// Name returns the runner's name.
func (r *Runner) Name() string { return r.name }

// Instant tells whether the check is evaluated afresh for every caller.
func (r *Runner) Instant() bool { _, ok := r.checker.(Instant); return ok }

// MaxAge returns the age past which a result is Unhealthy.
func (r *Runner) MaxAge() time.Duration { return DefaultMaxAge }

// Hung returns the number of runs past their limit that have not returned.
func (r *Runner) Hung() int { return 0 }
