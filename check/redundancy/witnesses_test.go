package redundancy

import (
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestWitnesses is the fold of X16, by prober: how long ago it said what.
func TestWitnesses(t *testing.T) {
	const bound = 30 * time.Second
	type said struct {
		by  string
		ago time.Duration
		ok  bool
	}
	for _, tt := range []struct {
		name string
		said []said
		want Reach
	}{
		{"nobody (S4.12)", nil, ReachUnknown},
		{"one got through", []said{{nodeB, 0, true}}, Reachable},
		{"one did not", []said{{nodeB, 0, false}}, Unreachable},
		{"one did not, at the bound", []said{{nodeB, bound, false}}, Unreachable},
		{"one did not, past the bound", []said{{nodeB, bound + 1, false}}, ReachUnknown},
		{"one got through, at the bound", []said{{nodeB, bound, true}}, Reachable},
		{"one got through, past the bound", []said{{nodeB, bound + 1, true}}, ReachUnknown},
		{"one did and one did not", []said{{nodeB, 0, true}, {nodeC, 0, false}}, Reachable},
		{"one did not and one did", []said{{nodeB, 0, false}, {nodeC, 0, true}}, Reachable},
		{"one of three got through", []said{{nodeB, 0, false}, {nodeC, bound, true}, {nodeD, 0, false}}, Reachable},
		{"nobody of three", []said{{nodeB, 0, false}, {nodeC, bound, false}, {nodeD, time.Second, false}}, Unreachable},
		{"the one that got through is too long ago", []said{{nodeB, bound, false}, {nodeC, bound + 1, true}}, Unreachable},
		{"the one that did not is too long ago", []said{{nodeB, bound + 1, false}, {nodeC, bound, true}}, Reachable},
		{"all too long ago", []said{{nodeB, bound + 1, false}, {nodeC, bound + 1, true}}, ReachUnknown},
		{"the newest of each counts: through, then not", []said{{nodeB, 2, true}, {nodeB, 1, false}}, Unreachable},
		{"the newest of each counts: not, then through", []said{{nodeB, 2, false}, {nodeB, 1, true}}, Reachable},
		{"a clock that went back (X27)", []said{{nodeB, -time.Hour, false}}, Unreachable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w witnesses
			for i, s := range tt.said {
				r := probeResult{prober: keyOf(s.by), probed: keyOf(nodeA), sequence: uint64(i + 1), ok: s.ok}
				if !w.keep(r, viewNow.Add(-s.ago)) {
					t.Errorf("%d is no news", i)
				}
			}
			if got := w.reach(viewNow); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestWitnessesKeepTheNewest: by the prober's own count, whatever comes when.
func TestWitnessesKeepTheNewest(t *testing.T) {
	var w witnesses
	life := func(n string) cluster.Key { return cluster.Key{Address: nodeB, Incarnation: n} }
	for i, step := range []struct {
		by       cluster.Key
		sequence uint64
		ok, news bool
		want     Reach
	}{
		{life("1"), 5, false, true, Unreachable},
		{life("1"), 4, true, false, Unreachable}, // came late
		{life("1"), 5, true, false, Unreachable}, // came twice
		{life("1"), 0, true, false, Unreachable},
		{life("1"), 6, true, true, Reachable},
		{life("1"), 7, false, true, Unreachable},
		{life("2"), 1, true, true, Reachable}, // its count begins anew with each life
		{life("2"), 2, false, true, Unreachable},
	} {
		r := probeResult{prober: step.by, sequence: step.sequence, ok: step.ok}
		if news := w.keep(r, viewNow); news != step.news {
			t.Errorf("step %d: news %v, want %v", i, news, step.news)
		}
		if got := w.reach(viewNow); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
	w.forget(func(k cluster.Key) bool { return k == life("1") })
	if !w.keep(probeResult{prober: life("2"), sequence: 1, ok: true}, viewNow) {
		t.Error("a prober that was forgotten begins anew")
	}
	w.forget(func(cluster.Key) bool { return false })
	if got := w.reach(viewNow); got != ReachUnknown {
		t.Errorf("all are forgotten: %v", got)
	}
}

// TestRepeatedResultIsNoYounger: its age counts from when it came first.
func TestRepeatedResultIsNoYounger(t *testing.T) {
	var w witnesses
	r := probeResult{prober: keyOf(nodeB), sequence: 1}
	w.keep(r, viewNow)
	w.keep(r, viewNow.Add(20*time.Second))
	if got := w.reach(viewNow.Add(witnessLasts + 1)); got != ReachUnknown {
		t.Errorf("%v", got)
	}
}

// TestWhoMayTestify is S4.12: results about others, and what others say who have no
// say, are ignored.
func TestWhoMayTestify(t *testing.T) {
	view := viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2),
		memberOf(nodeC, cluster.Up, 3, "admin"), memberOf(nodeD, cluster.Down, 4, driver))
	result := func(prober, probed string) probeResult {
		return probeResult{prober: keyOf(prober), probed: keyOf(probed), sequence: 1}
	}
	earlier := cluster.Key{Address: nodeA, Incarnation: "0"}
	for _, tt := range []struct {
		name   string
		result probeResult
		view   *cluster.View
		role   string
		want   bool
	}{
		{"a peer about this node", result(nodeB, nodeA), view, driver, true},
		{"a peer about another", result(nodeB, nodeC), view, driver, false},
		{"this node about a peer", result(nodeA, nodeB), view, driver, false},
		{"this node about itself", result(nodeA, nodeA), view, driver, false},
		{"an earlier life of this node", probeResult{prober: earlier, probed: keyOf(nodeA)}, view, driver, false},
		{"about an earlier life of this node", probeResult{prober: keyOf(nodeB), probed: earlier}, view, driver, false},
		{"a member without the role", result(nodeC, nodeA), view, driver, false},
		{"a member, in the whole cluster", result(nodeC, nodeA), view, "", true},
		{"a member that is down", result(nodeD, nodeA), view, driver, false},
		{"nobody that is known", result("10.0.0.9:1", nodeA), view, driver, false},
		{"another life of a peer", probeResult{prober: cluster.Key{Address: nodeB, Incarnation: "0"}, probed: keyOf(nodeA)}, view, driver, false},
		{"no view", result(nodeB, nodeA), nil, driver, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.result.concerns(tt.view, tt.role); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestWitnessesConcurrentSafe has results come in while others read and forget.
func TestWitnessesConcurrentSafe(t *testing.T) {
	var w witnesses
	var all sync.WaitGroup
	for _, by := range []string{nodeB, nodeC} {
		all.Go(func() {
			for i := range uint64(200) {
				w.keep(probeResult{prober: keyOf(by), sequence: i + 1, ok: by == nodeB}, viewNow)
				w.reach(viewNow)
			}
		})
	}
	all.Go(func() {
		for range 200 {
			w.forget(func(k cluster.Key) bool { return k == keyOf(nodeB) })
		}
	})
	all.Wait()
	w.forget(func(k cluster.Key) bool { return k == keyOf(nodeB) })
	if got := w.reach(viewNow); got != Reachable {
		t.Errorf("%v", got)
	}
}
