package liveness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// The tests that the source of S5 names, S5.28 to S5.38, over a loop like its
// own: a poll a turn, lag reported with each beat.

// pollingLoop polls until its context is done, a beat with lag a turn.
func pollingLoop(r *board.Reporter, poll func() (lag int64, err error)) func(context.Context) error {
	return func(ctx context.Context) error {
		for ctx.Err() == nil {
			lag, err := poll()
			if err != nil {
				return err
			}
			r.BeatLag(lag)
		}
		return ctx.Err()
	}
}

// TestFaultedAfterUnrecoverableError is S5.28.
func TestFaultedAfterUnrecoverableError(t *testing.T) {
	r := newRig(t)
	orders := r.register("orders", 0)
	broken := errors.New("no such table")
	err := Run(t.Context(), orders, pollingLoop(orders, func() (int64, error) { return 0, broken }))
	if !errors.Is(err, broken) {
		t.Errorf("Run returned %v", err)
	}
	o, _ := r.board.Get("orders")
	if o.State != board.Faulted || !errors.Is(o.Err, broken) || o.Starts != 1 {
		t.Errorf("observation = %+v", o)
	}
	r.want("orders", Faulted)
}

// TestHeartbeatOnEachPoll is S5.29: idle polls included (S5.9).
func TestHeartbeatOnEachPoll(t *testing.T) {
	r := newRig(t)
	orders := r.register("orders", 0)
	ctx, stop := context.WithCancel(t.Context())
	turns := uint64(0)
	err := Run(ctx, orders, pollingLoop(orders, func() (int64, error) {
		if o, _ := r.board.Get("orders"); turns > 0 && (o.Beats != turns || o.Age != 0) {
			t.Errorf("after %d turns: %d beats, age %v", turns, o.Beats, o.Age)
		}
		r.clock.add(250 * ms)
		if turns++; turns == 10 {
			stop()
		}
		return 0, nil
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
}

// TestLagZeroWhenCaughtUp is S5.30.
func TestLagZeroWhenCaughtUp(t *testing.T) {
	r := newRig(t, WithPolicy(Policy{DegradedLag: 10}))
	orders := r.register("orders", 0)
	for lag := int64(20); lag >= 0; lag -= 10 {
		orders.BeatLag(lag)
		r.clock.add(250 * ms)
	}
	if v := r.want("orders", Running); !v.LagKnown || v.Lag != 0 || v.LagAge != 250*ms {
		t.Errorf("verdict = %+v", v)
	}
}

// TestUnhealthyWhenFaulted is S5.31.
func TestUnhealthyWhenFaulted(t *testing.T) {
	r := newRig(t)
	r.register("orders", 0).Fault(errors.New("broken"))
	if got := r.wantStatus(check.Unhealthy).Description; got != "Processor 'orders' faulted and stopped" {
		t.Errorf("description = %q", got)
	}
}

// TestUnhealthyWhenSilent is S5.32.
func TestUnhealthyWhenSilent(t *testing.T) {
	r := newRig(t)
	r.register("orders", 0).Beat()
	r.clock.add(5 * second)
	r.wantStatus(check.Healthy)
	r.clock.add(1)
	r.wantStatus(check.Unhealthy)
	r.clock.set(7340 * ms)
	if got := r.wantStatus(check.Unhealthy).Description; got != "Processor 'orders' last reported 7.3s ago — possible wedge" {
		t.Errorf("description = %q", got)
	}
}

// TestDegradedOnLag is S5.33.
func TestDegradedOnLag(t *testing.T) {
	r := newRig(t, WithPolicy(Policy{DegradedLag: 10_000}))
	orders := r.register("orders", 0)
	orders.BeatLag(10_000)
	r.wantStatus(check.Healthy)
	orders.BeatLag(10_001)
	if got := r.wantStatus(check.Degraded).Description; got != "Processor 'orders' is 10001 events behind" {
		t.Errorf("description = %q", got)
	}
}

// TestRebuildingSkippedForLag is S5.34: and the live loop gets no slack while a
// rebuild runs (S5.11).
func TestRebuildingSkippedForLag(t *testing.T) {
	r := newRig(t, WithPolicy(Policy{DegradedLag: 10}))
	live := r.register("orders", 0)
	rebuild := r.board.MustRegister(board.Spec{ID: "orders", Rebuild: "2"})
	live.BeatLag(0)
	rebuild.BeatLag(1_000_000)
	r.wantStatus(check.Healthy)
	live.BeatLag(11)
	r.wantStatus(check.Degraded)
	r.want("orders", Lagging)
	r.want("orders::rebuild::2", Running)
	r.clock.add(5*second + 1)
	r.want("orders::rebuild::2", Stale)
}

// TestHealthyWhenNeverReported is S5.35, and S5.13.
func TestHealthyWhenNeverReported(t *testing.T) {
	r := newRig(t)
	r.register("orders", 0)
	r.clock.add(1000 * time.Hour)
	r.wantStatus(check.Healthy)
	r.want("orders", Unreported)
}

// TestStandbyNeverReports is S5.36, and S5.12: a loop that did not get its lease
// never starts.
func TestStandbyNeverReports(t *testing.T) {
	r := newRig(t)
	loops := map[string]*board.Reporter{"orders": r.register("orders", 0), "billing": r.register("billing", 0)}
	leased := map[string]bool{"orders": true}
	for range 100 {
		r.clock.add(250 * ms)
		for id, loop := range loops {
			if leased[id] {
				loop.Beat()
			}
		}
	}
	r.wantStatus(check.Healthy)
	r.want("orders", Running)
	r.want("billing", Unreported)
	if o, _ := r.board.Get("billing"); o.Starts != 0 || o.Beats != 0 {
		t.Errorf("observation = %+v", o)
	}
}

// TestAggregation is S5.37, S5.18 and S5.19.
func TestAggregation(t *testing.T) {
	tests := []struct {
		name   string
		states []string
		want   check.Status
	}{
		{"empty", nil, check.Healthy},
		{"healthy", []string{"healthy", "unreported"}, check.Healthy},
		{"degraded and healthy", []string{"healthy", "degraded"}, check.Degraded},
		{"faulted and healthy", []string{"healthy", "faulted", "healthy"}, check.Unhealthy},
		{"faulted and degraded", []string{"degraded", "faulted"}, check.Unhealthy},
		{"all faulted", []string{"faulted", "faulted"}, check.Unhealthy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, WithPolicy(Policy{DegradedLag: 10}))
			for i, state := range test.states {
				x := r.register(string(rune('a'+i)), 0)
				switch state {
				case "healthy":
					x.Beat()
				case "degraded":
					x.BeatLag(11)
				case "faulted":
					x.Fault(nil)
				}
			}
			r.wantStatus(test.want)
		})
	}
}

// TestWedgedHandler is S5.38 and S5.20: a handler that ignores cancellation is
// reported while nobody has asked for a shutdown yet.
func TestWedgedHandler(t *testing.T) {
	r := newRig(t)
	orders := r.register("orders", 250*ms)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hung, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	turns := 0
	go func() {
		ended <- Run(ctx, orders, pollingLoop(orders, func() (int64, error) {
			if turns++; turns == 3 {
				close(hung)
				<-release // and does not look at ctx
			}
			return 0, nil
		}))
	}()
	<-hung
	r.clock.add(5*second + 1)
	r.want("orders", Stale)
	if ctx.Err() != nil {
		t.Error("a shutdown was asked for")
	}
	cancel()
	r.want("orders", Stale) // still: it has not ended
	close(release)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
	r.want("orders", Stopped)
}

// TestTwoBoardsDoNotMix is S5.24.
func TestTwoBoardsDoNotMix(t *testing.T) {
	billing, search := newRig(t), newRig(t)
	billing.register("orders", 0).Fault(nil)
	search.register("orders", 0).Beat()
	billing.wantStatus(check.Unhealthy)
	search.wantStatus(check.Healthy)
}

// TestTexts is S5.14 to S5.16 and their like: one sentence a reason.
func TestTexts(t *testing.T) {
	v := Verdict{Key: "orders", State: board.Running, Age: 7340 * ms, Bound: 5 * second, Busy: 72_050 * ms, Behind: 25}
	tests := map[Reason]string{
		Faulted:      "Processor 'orders' faulted and stopped",
		NeverStarted: "Processor 'orders' did not start within 5s",
		Stuck:        "Processor 'orders' has been busy for 1m12.1s, limit 5s — possible wedge",
		Stale:        "Processor 'orders' last reported 7.3s ago — possible wedge",
		ObserverLate: "Processor 'orders' last reported 7.3s ago — the observer was late",
		Stalled:      "Processor 'orders' does not move and is 25 events behind",
		Starved:      "Processor 'orders' waits for input and is 25 events behind",
		Lagging:      "Processor 'orders' is 25 events behind",
		Unreported:   "Processor 'orders' has not reported",
		Running:      "Processor 'orders' is running",
		Idle:         "Processor 'orders' is idle",
		Busy:         "Processor 'orders' is busy",
		Standby:      "Processor 'orders' is on standby",
		Paused:       "Processor 'orders' is paused",
		Stopped:      "Processor 'orders' is stopped",
		Reason(99):   "Processor 'orders': reason_99",
	}
	for reason, want := range tests {
		v.Reason = reason
		if got := v.Text(); got != want {
			t.Errorf("text = %q, want %q", got, want)
		}
	}
	v.Reason, v.Worker = Faulted, "two"
	if got := v.Text(); got != "Processor 'orders' worker 'two' faulted and stopped" {
		t.Errorf("text = %q", got)
	}
	v.Reason, v.State = ObserverLate, board.Busy
	if got := v.Text(); !strings.Contains(got, "1m12.1s ago") {
		t.Errorf("text = %q: the age of another line", got)
	}
}

// TestElapsedRounding: to 100 ms, half up.
func TestElapsedRounding(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 49 * ms: "0s", 50 * ms: "100ms", 5 * second: "5s", 5*second + 1: "5s", 7349 * ms: "7.3s", 7350 * ms: "7.4s", 3 * time.Hour: "3h0m0s",
	} {
		if got := string(appendElapsed(nil, d)); got != want {
			t.Errorf("%v is shown as %s, want %s", d, got, want)
		}
	}
}
