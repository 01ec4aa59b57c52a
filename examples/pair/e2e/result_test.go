//go:build linux

package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// sound is a round in which all went well.
func sound() round {
	return round{failover: 2500 * ms, gap: 505 * ms, rejoined: &slot{}, youngest: true, same: true}
}

func TestRules(t *testing.T) {
	plain := fault{name: "plain", most: limit}
	leave := fault{name: "leave", most95: leaveLimit}
	frozen := fault{name: "frozen", most: limit, arrives: true}
	control := fault{name: "control", control: 12}
	with := func(change func(*round)) round {
		r := sound()
		change(&r)
		return r
	}
	leaves := func(times ...time.Duration) (all []round) {
		for range 20 - len(times) {
			all = append(all, with(func(r *round) { r.failover = 4 * ms }))
		}
		for _, d := range times {
			all = append(all, with(func(r *round) { r.failover = d }))
		}
		return all
	}
	for _, c := range []struct {
		name   string
		result result
		want   []string // what each broken rule begins with
	}{
		{name: "all well", result: result{fault: plain, rounds: []round{sound(), sound()}}},
		{
			name:   "two active for a nanosecond",
			result: result{fault: plain, rounds: []round{sound(), with(func(r *round) { r.overlap = 1 })}},
			want:   []string{"overlap <0.001 ms: must be 0"},
		},
		{
			name:   "two active in a round that was done again",
			result: result{fault: plain, rounds: []round{sound()}, repeated: []round{with(func(r *round) { r.overlap = 7 * ms })}},
			want:   []string{"overlap 7.000 ms"},
		},
		{
			name:   "a stale write accepted",
			result: result{fault: plain, rounds: []round{with(func(r *round) { r.accepted = 1 })}},
			want:   []string{"1 stale writes accepted"},
		},
		{
			name:   "a stale write refused",
			result: result{fault: plain, rounds: []round{with(func(r *round) { r.refused = 1 })}},
		},
		{
			name:   "not the youngest",
			result: result{fault: plain, rounds: []round{sound(), with(func(r *round) { r.youngest = false })}},
			want:   []string{"a node that came back was the youngest in 1 of 2 rounds"},
		},
		{
			name:   "nobody came back",
			result: result{fault: plain, rounds: []round{with(func(r *round) { r.rejoined, r.youngest = nil, false })}},
		},
		{
			name:   "nobody stopped while the engine was down",
			result: result{fault: fault{lapse: true, least: time.Second}, rounds: []round{with(func(r *round) { r.failover = time.Second - 1 })}},
			want:   []string{"nobody active for"},
		},
		{
			name:   "at the limit",
			result: result{fault: plain, rounds: []round{with(func(r *round) { r.failover = limit })}},
		},
		{
			name:   "past the limit",
			result: result{fault: plain, rounds: []round{with(func(r *round) { r.failover = limit + 1 }), sound()}},
			want:   []string{"failover 4500 ms: must be at most 4500"},
		},
		{name: "one slow leave in twenty", result: result{fault: leave, rounds: leaves(3 * time.Second)}},
		{
			name:   "two slow leaves in twenty",
			result: result{fault: leave, rounds: leaves(3*time.Second, 501*ms)},
			want:   []string{"failover 501 ms at the 95th percentile"},
		},
		{
			name:   "a stale write refused after an orderly end",
			result: result{fault: fault{orderly: true}, rounds: []round{with(func(r *round) { r.refused = 1 })}},
			want:   []string{"1 stale writes refused: none must come"},
		},
		{
			name:   "frozen work came and was refused",
			result: result{fault: frozen, rounds: []round{with(func(r *round) { r.refused = 1 })}},
		},
		{
			name:   "frozen work did not come",
			result: result{fault: frozen, rounds: []round{with(func(r *round) { r.refused = 1 }), sound()}},
			want:   []string{"1 stale writes in 2 rounds"},
		},
		{
			name:   "the control shows what it has to",
			result: result{fault: control, rounds: []round{sound(), with(func(r *round) { r.overlap, r.accepted = 600*ms, 80 })}},
		},
		{
			name:   "the control shows nothing",
			result: result{fault: control, rounds: []round{sound()}},
			want:   []string{"overlap 0 ms and 0 stale writes accepted: the control must have both"},
		},
		{
			name:   "the control shows no stale write",
			result: result{fault: control, rounds: []round{with(func(r *round) { r.overlap = ms })}},
			want:   []string{"overlap 1.000 ms and 0 stale"},
		},
		{
			name:   "broken off",
			result: result{fault: plain, err: errors.New("round 1: nobody took over")},
			want:   []string{"round 1: nobody took over"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.result.broken()
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %d broken rules", got, len(c.want))
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got %q, want %q…", got[i], want)
				}
			}
		})
	}
}

func TestRoundIsDoneAgain(t *testing.T) {
	slow := sound()
	slow.failover = limit + 1
	for _, c := range []struct {
		name  string
		stall time.Duration
		most  time.Duration
		// failover is limit + 1 unless it is set.
		failover time.Duration
		again    bool
	}{
		{name: "slow on a machine that stood", stall: stood, most: limit, again: true},
		{name: "slow on one that did not", stall: stood - 1, most: limit},
		{name: "slower than the machine stood", stall: stood, most: 1, failover: limit + ttl + stood + 1},
		{name: "without a limit", stall: stood},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := result{fault: fault{most: c.most}}
			r := slow
			r.stall = c.stall
			if c.failover != 0 {
				r.failover = c.failover
			}
			res.take(r)
			if got := len(res.repeated) == 1; got != c.again || len(res.all()) != 1 {
				t.Errorf("done again: %v, want %v", got, c.again)
			}
		})
	}
	res := result{fault: fault{most: limit}}
	slow.stall = time.Second
	for range mayRepeat + 1 {
		res.take(slow)
	}
	if len(res.repeated) != mayRepeat || len(res.rounds) != 1 {
		t.Errorf("%d done again, want at most %d", len(res.repeated), mayRepeat)
	}
}

func TestControlGoesOnUntilItShows(t *testing.T) {
	res := result{fault: fault{control: 3}}
	for n := range 3 {
		if !res.wants(1) {
			t.Fatalf("ends after %d rounds without an overlap", n)
		}
		res.take(sound())
	}
	if res.wants(1) {
		t.Error("goes on for ever")
	}
	shows := sound()
	shows.overlap, shows.accepted = ms, 1
	if res = (result{fault: fault{control: 3}, rounds: []round{shows}}); res.wants(1) {
		t.Error("goes on after it has shown")
	}
	shows.accepted = 0
	if res = (result{fault: fault{control: 3}, rounds: []round{shows}}); !res.wants(1) {
		t.Error("ends without a stale write")
	}
}

func TestQuantile(t *testing.T) {
	var twenty []time.Duration
	for i := range 20 {
		twenty = append(twenty, time.Duration(i+1))
	}
	for _, c := range []struct {
		of   []time.Duration
		q    float64
		want time.Duration
	}{
		{nil, 0.5, 0},
		{twenty[:1], 0, 1},
		{twenty[:1], 1, 1},
		{twenty[:6], 0.5, 3},
		{twenty[:6], 0.95, 6},
		{twenty, 0.95, 19},
		{twenty, 1, 20},
	} {
		if got := quantile(c.of, c.q); got != c.want {
			t.Errorf("quantile %v of %d: got %d, want %d", c.q, len(c.of), got, c.want)
		}
	}
}
