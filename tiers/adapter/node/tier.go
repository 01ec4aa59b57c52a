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
// document is that of the oldest of them. A Set with a clock that is not the real
// one has ages that mean nothing here.
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

// Sample asks the tier, and tells how old the oldest of its results is.
func (t tier) Sample(ctx context.Context) check.Sample {
	oldest := time.Now()
	report := t.set.Evaluate(ctx, t.tier)
	for _, e := range report.Entries {
		if !e.Sampled.IsZero() && e.Sampled.Before(oldest) {
			oldest = e.Sampled
		}
	}
	return check.Sample{
		Name:    string(t.tier),
		Result:  check.Result{Status: report.Status},
		Started: oldest,
		Age:     max(0, time.Since(oldest)),
	}
}
