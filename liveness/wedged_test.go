package liveness

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// TestWedgedTable: faulted, stale or stuck for longer, strictly, than the
// largest of after, ten bounds and a minute.
func TestWedgedTable(t *testing.T) {
	const minute = time.Minute
	tests := []struct {
		name     string
		policy   Policy
		interval time.Duration
		after    time.Duration
		report   func(*board.Reporter)
		lostAt   time.Duration // when it counts as lost
		limit    time.Duration
		never    bool
	}{
		{name: "stale", report: (*board.Reporter).Beat, lostAt: 5 * second, limit: minute},
		{name: "stuck", report: (*board.Reporter).Busy, lostAt: 5 * second, limit: minute},
		{name: "stuck past its own limit", report: func(r *board.Reporter) { r.BusyFor(second) }, lostAt: second, limit: minute},
		{name: "faulted", report: fault, lostAt: 0, limit: minute},
		{name: "after is longer", after: time.Hour, report: (*board.Reporter).Beat, lostAt: 5 * second, limit: time.Hour},
		{name: "after is shorter", after: second, report: (*board.Reporter).Beat, lostAt: 5 * second, limit: minute},
		{name: "after is negative", after: -time.Hour, report: fault, lostAt: 0, limit: minute},
		{name: "ten bounds are longer", interval: 10 * second, report: (*board.Reporter).Beat, lostAt: 50 * second, limit: 500 * second},
		{name: "ten limits are longer", policy: Policy{BusyLimit: minute}, report: (*board.Reporter).Busy, lostAt: minute, limit: 10 * minute},
		{name: "ten bounds of a faulted one", interval: 10 * second, report: fault, lostAt: 0, limit: 500 * second},
		{name: "ten bounds overflow", interval: math.MaxInt64 / 5, report: fault, never: true},
		{name: "running", report: func(r *board.Reporter) { r.Standby() }, never: true},
		{name: "idle with lag", report: func(r *board.Reporter) { r.SetLag(9); r.Idle() }, never: true},
		{name: "unreported", report: func(*board.Reporter) {}, never: true},
		{name: "never started", policy: Policy{StartWithin: 10 * second}, report: func(*board.Reporter) {}, never: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, WithPolicy(test.policy))
			test.report(r.register("orders", test.interval))
			wedged := r.m.Wedged(test.after)
			want := func(at time.Duration, want check.Status) {
				t.Helper()
				r.clock.set(at)
				if got := wedged.Check(t.Context()); got.Status != want || got.Err != nil {
					t.Errorf("at %v: %+v, want %v", at, got, want)
				}
			}
			if test.never {
				want(10_000*time.Hour, check.Healthy)
				return
			}
			want(test.lostAt+test.limit, check.Healthy)
			want(test.lostAt+test.limit+1, check.Unhealthy)
		})
	}
}

func fault(r *board.Reporter) { r.Fault(nil) }

// TestWedgedRecovers: it says what is, and names who is lost for longest.
func TestWedgedRecovers(t *testing.T) {
	r := newRig(t)
	a, b := r.register("a", 0), r.register("b", 0)
	b.Beat()
	r.clock.add(second)
	a.Beat()
	r.clock.add(time.Hour)
	got := r.m.Wedged(0).Check(t.Context())
	if got.Status != check.Unhealthy || got.Description != "Processor 'b' last reported 1h0m1s ago — possible wedge, and 1 more" {
		t.Errorf("%+v", got)
	}
	b.Beat()
	a.Restart()
	if got := r.m.Wedged(0).Check(t.Context()); got.Status != check.Healthy || got.Description != "no processor is wedged" {
		t.Errorf("%+v", got)
	}
}

// TestWedgedSparesRebuilds that only degrade.
func TestWedgedSparesRebuilds(t *testing.T) {
	for _, degradeOnly := range []bool{false, true} {
		r := newRig(t, WithPolicy(Policy{RebuildsDegradeOnly: degradeOnly}))
		r.board.MustRegister(board.Spec{ID: "orders", Rebuild: "2"}).Fault(nil)
		r.clock.add(time.Hour)
		got := r.m.Wedged(0).Check(t.Context()).Status
		if want := map[bool]check.Status{false: check.Unhealthy, true: check.Healthy}[degradeOnly]; got != want {
			t.Errorf("degrade only %v: %v, want %v", degradeOnly, got, want)
		}
	}
}

// TestWedgedCountsEachWorker: one that is lost for long is not covered by another
// with the worse verdict.
func TestWedgedCountsEachWorker(t *testing.T) {
	for name, worse := range map[string]func(r *rig, a *board.Reporter){
		"stuck by a second": func(r *rig, a *board.Reporter) { a.Busy(); r.clock.add(6 * second) },
		"further past a limit of its own": func(r *rig, a *board.Reporter) {
			a.BusyFor(second)
			r.clock.add(30 * second)
		},
		"never started": func(r *rig, _ *board.Reporter) { r.clock.add(30 * second) },
	} {
		r := newRig(t, WithPolicy(Policy{StartWithin: second}))
		billing := r.register("billing", 0)
		a, errA := billing.Worker("a")
		b, errB := billing.Worker("b")
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		b.Beat()
		r.clock.add(2 * time.Hour)
		worse(r, a)
		got := r.m.Wedged(0).Check(t.Context())
		if got.Status != check.Unhealthy || !strings.Contains(got.Description, "worker 'b' last reported 2h0m") {
			t.Errorf("%s: %+v", name, got)
		}
		billing.Standby()
		if got := r.m.Wedged(0).Check(t.Context()); got.Status != check.Healthy {
			t.Errorf("%s, on standby: %+v", name, got)
		}
	}
}

// TestWedgedDoubtsItself: never while the observer is late, and what it was not
// there to hear does not count.
func TestWedgedDoubtsItself(t *testing.T) {
	for name, report := range map[string]func(*board.Reporter){"stale": (*board.Reporter).Beat, "stuck": (*board.Reporter).Busy, "faulted": fault} {
		t.Run(name, func(t *testing.T) {
			r, ob := observed(t)
			ob.start()
			report(r.register("orders", 0))
			wedged := r.m.Wedged(0)
			want := func(want check.Status) check.Result {
				t.Helper()
				got := wedged.Check(t.Context())
				if got.Status != want {
					t.Errorf("at %v: %+v, want %v", r.board.Now(), got, want)
				}
				return got
			}
			r.clock.add(time.Hour) // frozen, and the first to wake is the probe
			late := want(map[string]check.Status{"stale": check.Healthy, "stuck": check.Healthy, "faulted": check.Degraded}[name])
			if name == "faulted" && !strings.HasPrefix(late.Description, "the observer is late: Processor 'orders'") {
				t.Errorf("description = %q", late.Description)
			}
			ob.tick()
			want(check.Healthy)
			ticking := func(d time.Duration) {
				for end := r.board.Now() + d; r.board.Now() < end; {
					r.clock.add(min(tick, end-r.board.Now()))
					ob.tick()
				}
			}
			lost := 5 * second // a bound after the resume
			if name == "faulted" {
				lost = 0
			}
			ticking(lost + time.Minute)
			want(check.Healthy)
			ticking(1)
			want(check.Unhealthy)
			// Another freeze: late again, and after the resume it is as it was.
			r.clock.add(time.Hour)
			want(check.Degraded)
			ob.tick()
			want(check.Unhealthy)
		})
	}
}
