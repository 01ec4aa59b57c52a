package liveness

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// TestZeroPolicyIsTheDefault: S5.21 and S5.22 in numbers.
func TestZeroPolicyIsTheDefault(t *testing.T) {
	tests := []struct{ interval, stale time.Duration }{
		{0, 5 * second}, // unknown counts as the default of 250 ms
		{250 * ms, 5 * second},
		{second, 5 * second},
		{second + 1, 5*second + 5},
		{10 * second, 50 * second},
		{time.Hour, 5 * time.Hour},
		{math.MaxInt64 / 5, math.MaxInt64 / 5 * 5},
		{math.MaxInt64/5 + 1, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64},
	}
	for _, test := range tests {
		want := Policy{StaleAfter: test.stale, BusyLimit: test.stale}
		if diff := cmp.Diff(want, Policy{}.Resolve(test.interval)); diff != "" {
			t.Errorf("interval %v: %s", test.interval, diff)
		}
	}
}

// TestResolve: what is set holds, but no bound on a turn is shorter than one.
func TestResolve(t *testing.T) {
	tests := []struct {
		name         string
		policy, want Policy
	}{
		{
			"set",
			Policy{2 * second, 3 * second, 4 * second, 5 * second, 6, true},
			Policy{2 * second, 3 * second, 4 * second, 5 * second, 6, true},
		},
		{
			"busy follows stale",
			Policy{StaleAfter: 2 * second},
			Policy{StaleAfter: 2 * second, BusyLimit: 2 * second},
		},
		{
			"shorter than the interval",
			Policy{ms, ms, ms, ms, 6, false},
			Policy{second, ms, second, second, 6, false},
		},
		{
			"negative counts as not set",
			Policy{-1, -1, -1, -1, -1, false},
			Policy{StaleAfter: 5 * second, BusyLimit: 5 * second},
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, test.policy.Resolve(second)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestJudgeResolves: Judge and Resolve agree about every bound.
func TestJudgeResolves(t *testing.T) {
	for _, p := range []Policy{{}, {StaleAfter: ms, BusyLimit: ms, StartWithin: ms}, {StaleAfter: time.Hour}, {StartWithin: -1, BusyLimit: -1}} {
		for _, interval := range []time.Duration{0, ms, 250 * ms, time.Hour, math.MaxInt64} {
			r := p.Resolve(interval)
			for state, want := range map[board.State]time.Duration{
				board.Running: r.StaleAfter, board.Busy: r.BusyLimit, board.Unreported: r.StartWithin,
			} {
				o := board.Observation{Key: "orders", Interval: interval, Line: line(state, want)}
				v := p.Judge(o, Watch{})
				if v.Bound != want || v.Status != check.Healthy {
					t.Errorf("%+v, interval %v, %v: bound %v %v, want %v Healthy", p, interval, state, v.Bound, v.Status, want)
				}
				if want == math.MaxInt64 || want == 0 {
					continue
				}
				o.Age = want + 1
				if v = p.Judge(o, Watch{}); v.Status != check.Unhealthy {
					t.Errorf("%+v, interval %v, %v: %v past the bound", p, interval, state, v.Status)
				}
			}
		}
	}
}

// TestNewMonitorRefuses: a policy that has no meaning is refused with field,
// value and bound (X30).
func TestNewMonitorRefuses(t *testing.T) {
	tests := []struct {
		name string
		opt  Option
		want string
	}{
		{"stale", WithPolicy(Policy{StaleAfter: -1}), "liveness: StaleAfter -1ns: must not be negative"},
		{"busy", WithPolicy(Policy{BusyLimit: -second}), "liveness: BusyLimit -1s: must not be negative"},
		{"start", WithPolicy(Policy{StartWithin: -second}), "liveness: StartWithin -1s: must not be negative"},
		{"stalled", WithPolicy(Policy{StalledAfter: -second}), "liveness: StalledAfter -1s: must not be negative"},
		{"lag", WithPolicy(Policy{DegradedLag: -5}), "liveness: DegradedLag -5: must not be negative"},
		{
			"one processor's", WithPolicyFor("orders", Policy{StaleAfter: -second}),
			`liveness: policy for "orders": StaleAfter -1s: must not be negative`,
		},
		{
			"stale shorter than a turn", WithPolicy(Policy{StaleAfter: 2*second - 1}),
			`liveness: policy for "orders": StaleAfter 1.999999999s: must not be shorter than the interval 2s`,
		},
		{
			"start shorter than a turn", WithPolicyFor("orders", Policy{StartWithin: second}),
			`liveness: policy for "orders": StartWithin 1s: must not be shorter than the interval 2s`,
		},
		{
			"stalled shorter than a turn", WithPolicy(Policy{StalledAfter: second}),
			`liveness: policy for "orders": StalledAfter 1s: must not be shorter than the interval 2s`,
		},
		{"no key", WithPolicyFor("", Policy{}), `liveness: WithPolicyFor "": key must not be empty`},
		{"listed", WithListed(-1), "liveness: WithListed -1: must not be negative"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := board.New()
			b.MustRegister(board.Spec{ID: "orders", Interval: 2 * second})
			m, err := NewMonitor(b, test.opt)
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if m != nil {
				t.Error("a monitor came with the error")
			}
		})
	}
}

// TestNewMonitorAccepts: at the bound, and what bounds no turn.
func TestNewMonitorAccepts(t *testing.T) {
	b := board.New()
	b.MustRegister(board.Spec{ID: "orders", Interval: 2 * second})
	for _, opt := range []Option{
		nil,
		WithPolicy(Policy{}),
		WithPolicy(Policy{StaleAfter: 2 * second, StartWithin: 2 * second, StalledAfter: 2 * second}),
		WithPolicy(Policy{BusyLimit: ms}), // a unit may be shorter than a turn
		WithPolicyFor("payments", Policy{StaleAfter: ms}),
		WithListed(0),
		WithClock(nil), WithLogger(nil), WithTransitions(nil),
	} {
		if _, err := NewMonitor(b, opt); err != nil {
			t.Error(err)
		}
	}
}

// TestPolicyForTwice: which of two contradictory policies holds must not depend
// on their order.
func TestPolicyForTwice(t *testing.T) {
	_, err := NewMonitor(board.New(), WithPolicyFor("b", Policy{}), WithPolicyFor("a", Policy{}), WithPolicyFor("b", Policy{BusyLimit: ms}))
	if err == nil || !strings.Contains(err.Error(), `WithPolicyFor "b"`) {
		t.Errorf("error = %v", err)
	}
}

// TestPolicyForOneProcessor: every way to a verdict finds the processor's own
// policy, wherever its key is in the order.
func TestPolicyForOneProcessor(t *testing.T) {
	for _, test := range []struct {
		own         Policy
		at          time.Duration
		mine, other Reason
	}{
		{Policy{StaleAfter: time.Hour}, 10 * second, Running, Stale},
		{Policy{StaleAfter: second}, 3 * second, Stale, Running},
	} {
		for _, mine := range []string{"a", "c", "e", "unregistered"} {
			r := newRig(t, WithPolicyFor(mine, test.own), WithPolicyFor("d", Policy{}), WithPolicyFor("0", Policy{}))
			for _, key := range []string{"a", "b", "c", "d", "e"} {
				r.register(key, 0).Beat()
			}
			r.clock.set(test.at)
			for _, v := range r.m.Verdicts() {
				want := test.other
				if v.Key == mine {
					want = test.mine
				}
				if v.Reason != want {
					t.Errorf("own policy for %s: %s is %v, want %v", mine, v.Key, v.Reason, want)
				}
				if one, _ := r.m.Verdict(v.Key); one != v {
					t.Errorf("Verdict(%s) = %+v, Verdicts has %+v", v.Key, one, v)
				}
			}
			if r.m.PolicyFor(mine) != test.own || r.m.PolicyFor("b") != (Policy{}) {
				t.Errorf("PolicyFor(%s) = %+v", mine, r.m.PolicyFor(mine))
			}
		}
	}
}
