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
	// repeated are rounds in which a hand-over took too long while the machine
	// stood still. They were done again, and count for all but the times.
	repeated []round
	err      error // what broke off the rounds
	logs     string
}

const (
	// stood is a stall that a time limit does not have to bear.
	stood = 250 * time.Millisecond
	// mayRepeat is how many rounds may be done again; a machine that stands
	// still more often shows nothing.
	mayRepeat = 3
)

// playRounds does the fault n times, or more often where its figures need that.
func playRounds(ctx context.Context, s *stage, f fault, n int) *result {
	res := &result{fault: f, engine: s.kind}
	n = max(n, f.atLeast)
	for res.wants(n) {
		r, err := playRound(ctx, s, f)
		if err != nil {
			res.err = fmt.Errorf("round %d: %w", len(res.rounds)+1, err)
			res.logs = s.logs()
			return res
		}
		res.take(r)
	}
	return res
}

// wants tells whether another round is to be done.
func (res *result) wants(n int) bool {
	done := len(res.rounds)
	return done < n || (done < res.fault.control && !res.shows())
}

// shows tells whether two nodes were seen to be active, by their claims and by what
// the device took.
func (res *result) shows() bool {
	accepted, _ := res.stale()
	return res.overlap() > 0 && accepted > 0
}

func (res *result) take(r round) {
	f := res.fault
	slow := (f.most > 0 && r.failover > f.most) || (f.most95 > 0 && r.failover > f.most95)
	if slow && r.stall >= stood && r.failover <= limit+ttl+r.stall && len(res.repeated) < mayRepeat {
		res.repeated = append(res.repeated, r)
		return
	}
	res.rounds = append(res.rounds, r)
}

// broken lists the rules that the result breaks.
func (res *result) broken() (rules []string) {
	fail := func(format string, args ...any) { rules = append(rules, fmt.Sprintf(format, args...)) }
	if res.err != nil {
		fail("%v", res.err)
	}
	accepted, refused := res.stale()
	overlap, failovers := res.overlap(), res.failovers()
	if res.fault.control > 0 {
		if !res.shows() {
			fail("overlap %v ms and %d stale writes accepted: the control must have both, or else the harness does not see", exact(overlap), accepted)
		}
		return rules
	}
	if overlap > 0 {
		fail("overlap %s ms: must be 0", exact(overlap))
	}
	if accepted > 0 {
		fail("%d stale writes accepted: must be 0", accepted)
	}
	if res.fault.arrives && refused < len(res.rounds) {
		fail("%d stale writes in %d rounds: must be one in each, to be refused", refused, len(res.rounds))
	}
	if res.fault.orderly && refused > 0 {
		fail("%d stale writes refused: none must come after an orderly end", refused)
	}
	if yes, of := res.youngest(); yes < of {
		fail("a node that came back was the youngest in %d of %d rounds: must be in all", yes, of)
	}
	if worst, most := quantile(failovers, 1), res.fault.most; most > 0 && worst > most {
		fail("failover %s ms: must be at most %s", whole(worst), whole(most))
	}
	if shortest, least := quantile(failovers, 0), res.fault.least; len(failovers) > 0 && shortest < least {
		fail("nobody active for %s ms: must be at least %s", whole(shortest), whole(least))
	}
	if p95, most := quantile(failovers, 0.95), res.fault.most95; most > 0 && p95 > most {
		fail("failover %s ms at the 95th percentile: must be at most %s", whole(p95), whole(most))
	}
	return rules
}

// all are the rounds, and those that were done again.
func (res *result) all() []round { return slices.Concat(res.rounds, res.repeated) }

// failovers are sorted.
func (res *result) failovers() (all []time.Duration) {
	for _, r := range res.rounds {
		all = append(all, r.failover)
	}
	slices.Sort(all)
	return all
}

// gap is the least one.
func (res *result) gap() time.Duration {
	least := time.Duration(0)
	for i, r := range res.rounds {
		if i == 0 || r.gap < least {
			least = r.gap
		}
	}
	return least
}

// overlap is the longest one.
func (res *result) overlap() (longest time.Duration) {
	for _, r := range res.all() {
		longest = max(longest, r.overlap)
	}
	return longest
}

func (res *result) stale() (accepted, refused int) {
	for _, r := range res.all() {
		accepted += r.accepted
		refused += r.refused
	}
	return accepted, refused
}

// youngest counts the rounds in which a node came back, and in which it was the
// youngest then.
func (res *result) youngest() (yes, of int) {
	for _, r := range res.all() {
		if r.rejoined == nil {
			continue
		}
		of++
		if r.youngest {
			yes++
		}
	}
	return yes, of
}

// same counts the rounds after which the active node was the one from before.
func (res *result) same() (n int) {
	for _, r := range res.rounds {
		if r.same {
			n++
		}
	}
	return n
}

// quantile returns the least of the durations that the share q of them does not
// exceed; 0 of none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	for i, d := range sorted {
		if float64(i+1) >= q*float64(len(sorted)) {
			return d
		}
	}
	return 0
}
