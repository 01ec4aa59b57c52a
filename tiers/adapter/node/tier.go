package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// Tier is a tier of set as one check, for a Source: Ready of tiers.Ready, Healthy
// of tiers.Wedged. A tier whose checks hang is a no after three quarters of a
// second. Listen refuses a nil set and a tier that there is not.
//
// The tier's checks reuse results as they do for every prober; the age of the
// document says so. It says at most how long a check took too much. A Set with a
// clock that is not the real one has ages that mean nothing here.
func Tier(set *tiers.Set, t tiers.Tier) check.Checker {
	switch t {
	case tiers.Ready, tiers.Active, tiers.Live, tiers.Startup, tiers.Wedged:
	default:
		return check.Invalid(fmt.Errorf("node: tier %q: must be one of package tiers", t))
	}
	if set == nil {
		return check.Invalid(errors.New("node: tier: set nil: must not be nil"))
	}
	return tier{set, t}
}

type tier struct {
	set  *tiers.Set
	tier tiers.Tier
}

// Check asks the tier.
func (t tier) Check(ctx context.Context) check.Result { return t.Sample(ctx).Result }

// Sample asks the tier, and tells how old the oldest of its results is at most.
//
// A report does not say when its results' runs began. But a caller whose context
// has ended is answered from results in use and nothing else. So those that
// answered it began no earlier than the newest that was known before; and all
// others are results of runs that ended since, which lasted as long as the report
// says. Where such a run asked a Runner, what that has kept is older than the run;
// the sample known afterwards says so.
func (t tier) Sample(ctx context.Context) check.Sample {
	asked := time.Now()
	newest := t.sampled()
	reused := map[string]bool{}
	for _, e := range t.set.Evaluate(ended{ctx}, t.tier).Entries {
		reused[e.Name] = isYes(e.Status)
	}

	report := t.set.Evaluate(ctx, t.tier)
	known := t.sampled()
	oldest := asked
	for _, e := range report.Entries {
		begun := asked.Add(-e.Duration)
		if reused[e.Name] && !newest[e.Name].IsZero() {
			begun = newest[e.Name]
		}
		for _, at := range []time.Time{begun, known[e.Name]} {
			if !at.IsZero() && at.Before(oldest) {
				oldest = at
			}
		}
	}
	return check.Sample{
		Name:    string(t.tier),
		Result:  check.Result{Status: report.Status},
		Started: oldest,
		Age:     max(0, time.Since(oldest)),
	}
}

// sampled tells when what is known of each check was looked at.
func (t tier) sampled() map[string]time.Time {
	at := map[string]time.Time{}
	for _, s := range t.set.CheckStates() {
		at[s.Name] = s.Sampled
	}
	return at
}

// ended is a context that has ended. It keeps the values, by which a check that
// asks for its own answer is found out.
type ended struct{ context.Context }

var alreadyClosed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

func (ended) Done() <-chan struct{} { return alreadyClosed }
func (ended) Err() error            { return context.Canceled }
