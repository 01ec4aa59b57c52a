package tiers

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// Evaluate asks the checks of one tier, and no others (S1.8), all at the same
// time, and returns when each has answered or reached its own limit: a check
// that hangs never delays the report by more than the tier's longest limit.
// The live tier runs nothing and is Healthy; a tier there is not is Unhealthy,
// and so is any other of a nil Set.
//
// When ctx ends first, the checks that have not answered are Unhealthy in this
// report and nowhere else: it is not kept for Last (S1.15). The report is the
// caller's to change, all but the Data maps.
func (s *Set) Evaluate(ctx context.Context, t Tier) Report {
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller with no limit of its own
	}
	return s.evaluate(ctx, t).clone()
}

// evaluate is Evaluate without the copy: the report is shared with Last.
func (s *Set) evaluate(ctx context.Context, t Tier) Report {
	switch {
	case t == Live:
		return Report{Tier: t, Status: check.Healthy}
	case s == nil, t.index() < 0:
		return Report{Tier: t, Status: check.Unhealthy}
	}
	begun := s.clock().Now()
	report := s.ask(ctx, t)
	report.Total = max(0, s.clock().Now().Sub(begun))
	if ctx.Err() == nil {
		s.keep(evaluated{report: report, begun: begun})
	}
	return report
}

// ask runs what the tier asks and makes the report, without its time.
func (s *Set) ask(ctx context.Context, t Tier) Report {
	reg := s.registry()
	runners := reg.runners[t.index()]
	starting := t == Startup && !s.started.Load()
	if starting {
		runners = reg.tagged(Startup.mask() | Ready.mask())
	}
	report := Report{Tier: t, Status: check.Healthy, Entries: s.sampleAll(ctx, t, runners)}
	for i := range report.Entries {
		report.Status = check.Worst(report.Status, report.Entries[i].Status)
	}
	// Asked after the checks, so that no probe that ends after Drain is ready.
	if s.draining.Load() && (starting || t == Ready || t == Active) {
		report = report.withDraining()
	}
	if starting || t == Ready {
		s.latch(reg, report)
	}
	return report
}

// latch closes the startup latch when the ready tier's part of the report is
// not Unhealthy.
func (s *Set) latch(reg *registry, report Report) {
	if s.started.Load() {
		return
	}
	for i := range report.Entries {
		e := &report.Entries[i]
		if e.Status != check.Unhealthy {
			continue
		}
		at, found := reg.search(e.Name)
		if !found || reg.members[at].tiers.has(Ready) {
			return // not found: the draining entry
		}
	}
	s.started.Store(true)
}

// sampleAll asks the runners at the same time and returns their entries. Probes
// come more often than results change, so entries that are those of the tier's
// last report are not made again: a report that was kept is never changed.
func (s *Set) sampleAll(ctx context.Context, t Tier, runners []*check.Runner) []Entry {
	if len(runners) == 0 {
		return nil
	}
	var last, made []Entry
	if kept := s.last[t.index()].Load(); kept != nil && len(kept.report.Entries) == len(runners) {
		last = kept.report.Entries
	}
	same := 0 // of last, that nothing was made for
	check.CheckAll(ctx, runners, func(i int, sample *check.Sample) {
		if made == nil {
			if i == same && i < len(last) && last[i].tells(sample) {
				same++
				return
			}
			made = make([]Entry, len(runners))
			copy(made, last[:same])
		}
		made[i] = entryOf(sample)
	})
	if made == nil {
		return last
	}
	return made
}

// entryOf shows a sample without the cause of its failure (F51).
func entryOf(s *check.Sample) Entry {
	return Entry{
		Name:        s.Name,
		Status:      s.Result.Status.Known(),
		Description: s.Result.Description,
		Duration:    max(0, s.Duration),
		Sampled:     s.Started,
		Data:        s.Result.Data,
	}
}

// tells reports whether e is entryOf(s). Data cannot be compared, so none is.
func (e *Entry) tells(s *check.Sample) bool {
	return e.Name == s.Name && e.Status == s.Result.Status.Known() && e.Description == s.Result.Description &&
		e.Duration == max(0, s.Duration) && e.Sampled.Equal(s.Started) && e.Data == nil && s.Result.Data == nil
}

// evaluated is a report with the time at which its evaluation began: what it
// says is as old as that.
type evaluated struct {
	report Report
	begun  time.Time
}

// keep makes e the tier's last report, unless one that began later is there.
func (s *Set) keep(e evaluated) {
	last := &s.last[e.report.Tier.index()]
	for {
		old := last.Load()
		if old != nil && old.begun.After(e.begun) || last.CompareAndSwap(old, &e) {
			return
		}
	}
}
