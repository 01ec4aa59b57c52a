//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

// result is what came of all rounds of one fault on one engine.
type result struct {
	fault  fault
	engine engine.Kind
	rounds []round
	err    error // what broke off the rounds
	tails  string
}

// rounds does the fault n times, or more often where its figures need that.
func rounds(ctx context.Context, s *stage, f fault, n int) (res result) {
	res = result{fault: f, engine: s.kind}
	n = max(n, f.atLeast)
	for done := 0; done < n || (done < f.perhaps && res.overlap() == 0); done++ {
		r, err := playRound(ctx, s, f)
		if err != nil {
			res.err = fmt.Errorf("round %d: %w", done+1, err)
			res.tails = s.tails()
			return res
		}
		res.rounds = append(res.rounds, r)
	}
	return res
}

// durations are one measure of all rounds, sorted.
func (res *result) durations(of func(round) time.Duration) []time.Duration {
	var all []time.Duration
	for _, r := range res.rounds {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return all
}

func (res *result) failovers() []time.Duration {
	return res.durations(func(r round) time.Duration { return r.failover })
}

func (res *result) overlap() time.Duration {
	all := res.durations(func(r round) time.Duration { return r.overlap })
	return quantile(all, 1)
}

// overlapped is how many rounds had an overlap.
func (res *result) overlapped() (n int) {
	for _, r := range res.rounds {
		if r.overlap > 0 {
			n++
		}
	}
	return n
}

func (res *result) stale() (accepted, refused int) {
	for _, r := range res.rounds {
		accepted += r.accepted
		refused += r.refused
	}
	return accepted, refused
}

// youngest counts the rounds in which a node came back, and in which it was the
// youngest then.
func (res *result) youngest() (yes, of int) {
	for _, r := range res.rounds {
		if r.rejoined != nil {
			of++
			if r.youngest {
				yes++
			}
		}
	}
	return yes, of
}

// quantile returns the least duration that the share q of all does not exceed; 0
// of none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	i := int(q*float64(len(sorted))+0.999999) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

// broken lists the rules that the result breaks.
func (res *result) broken() (rules []string) {
	fail := func(format string, args ...any) { rules = append(rules, fmt.Sprintf(format, args...)) }
	if res.err != nil {
		fail("%v", res.err)
	}
	if len(res.rounds) == 0 {
		return rules
	}
	failovers := res.failovers()
	accepted, refused := res.stale()
	if res.control() {
		if res.overlap() == 0 || accepted == 0 {
			fail("the control must show an overlap and stale writes that are accepted, or else the harness does not see")
		}
		return rules
	}
	if d := res.overlap(); d > 0 {
		fail("two nodes were active at once for %v: must not happen", d)
	}
	if accepted > 0 {
		fail("%d stale writes were accepted: must be 0", accepted)
	}
	if res.fault.arrives && refused < len(res.rounds) {
		fail("%d stale writes came to the device: must be one a round", refused)
	}
	if yes, of := res.youngest(); yes < of {
		fail("a node that came back was the youngest in %d of %d rounds: must be in all", yes, of)
	}
	if limit := res.fault.limit; limit > 0 && quantile(failovers, 1) > limit {
		fail("failover took %v: must take at most %v", quantile(failovers, 1).Round(time.Millisecond), limit)
	}
	if p95 := quantile(failovers, 0.95); res.fault.p95 > 0 && p95 > res.fault.p95 {
		fail("the 95th percentile of the failover is %v: must be at most %v", p95.Round(time.Millisecond), res.fault.p95)
	}
	return rules
}

// control tells whether the fault is one that has to be seen to do harm.
func (res *result) control() bool { return res.fault.perhaps > 0 }
