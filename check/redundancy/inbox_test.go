package redundancy

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// version is a snapshot that A built under token 1, or B under token 2.
func version(token, sequence uint64) *snapshot {
	builder := map[uint64]string{1: nodeA, 2: nodeB}[token]
	return &snapshot{Token: token, Sequence: sequence, Builder: builder}
}

// inView has A with age 1 and B with age 2.
func inView() *cluster.View { return viewOf(nodeA, upDriver(nodeA, 1), upDriver(nodeB, 2)) }

// TestInbox is what is taken in and what is not, one arrival after another, a second
// apart.
func TestInbox(t *testing.T) {
	type arrival struct {
		token, sequence uint64
		want            outcome
	}
	for _, tt := range []struct {
		name     string
		arrivals []arrival
		newest   [2]uint64
		at       int // the arrival that it came with
	}{
		{"in order", []arrival{{1, 1, accepted}, {1, 2, accepted}, {2, 1, accepted}, {2, 2, accepted}}, [2]uint64{2, 2}, 3},
		{"out of order", []arrival{{1, 2, accepted}, {1, 1, outdated}, {1, 3, accepted}}, [2]uint64{1, 3}, 2},
		{"lost ones", []arrival{{1, 1, accepted}, {1, 9, accepted}}, [2]uint64{1, 9}, 1},
		{"the same again is no younger", []arrival{{1, 1, accepted}, {1, 1, outdated}, {1, 1, outdated}}, [2]uint64{1, 1}, 0},
		{"the token comes before the sequence", []arrival{{1, 9, accepted}, {2, 1, accepted}, {1, 10, outdated}}, [2]uint64{2, 1}, 1},
		{"a smaller token after a larger", []arrival{{2, 1, accepted}, {1, 1, outdated}}, [2]uint64{2, 1}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var box inbox
			if s, _, known := box.newest(); s != nil || known {
				t.Error("the zero inbox is not empty")
			}
			for i, a := range tt.arrivals {
				if got := box.take(version(a.token, a.sequence), inView(), viewNow+cluster.Instant(i)); got != a.want {
					t.Errorf("arrival %d: outcome %d, want %d", i, got, a.want)
				}
			}
			s, at, known := box.newest()
			if !known || [2]uint64{s.Token, s.Sequence} != tt.newest || at != viewNow+cluster.Instant(tt.at) {
				t.Errorf("newest %v of arrival %d, %v, want %v of %d", s, at-viewNow, known, tt.newest, tt.at)
			}
		})
	}
}

// TestStrangers: only a member's word counts, under the age that it has here.
func TestStrangers(t *testing.T) {
	starting := inView()
	starting.State = cluster.Starting
	builder := func(s cluster.Status, age uint64) *cluster.View {
		return viewOf(nodeB, memberOf(nodeA, s, age, driver), upDriver(nodeB, 2))
	}
	for _, tt := range []struct {
		name string
		view *cluster.View
		s    *snapshot
		want outcome
	}{
		{"a member", inView(), version(1, 1), accepted},
		{"a member without the role", viewOf(nodeB, memberOf(nodeA, cluster.Up, 1), upDriver(nodeB, 2)), version(1, 1), accepted},
		{"one that has begun to leave", builder(cluster.Exiting, 1), version(1, 1), accepted},
		{"no view", nil, version(1, 1), unplaced},
		{"starting", starting, version(1, 1), unplaced},
		{"nobody there", viewOf(nodeA), version(1, 1), unplaced},
		{"another address", inView(), &snapshot{Token: 1, Sequence: 1, Builder: nodeC}, unplaced},
		{"the token of another member", inView(), &snapshot{Token: 2, Sequence: 1, Builder: nodeA}, unplaced},
		{"an earlier life", builder(cluster.Up, 9), version(1, 1), unplaced},
		{"a later life", builder(cluster.Joining, 0), version(1, 1), unplaced},
		{"no token, and a member without an age", builder(cluster.Joining, 0), &snapshot{Sequence: 1, Builder: nodeA}, unplaced},
		{"one that is down", builder(cluster.Down, 1), version(1, 1), unplaced},
		{"one that was removed", builder(cluster.Removed, 1), version(1, 1), unplaced},
		{"a host-only builder (S4.5)", inView(), &snapshot{Token: 1, Sequence: 1, Builder: "10.0.0.1"}, unplaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var box inbox
			if got := box.take(tt.s, tt.view, viewNow); got != tt.want {
				t.Errorf("outcome %d, want %d", got, tt.want)
			}
			if _, _, known := box.newest(); known != (tt.want == accepted) {
				t.Errorf("known %v", known)
			}
		})
	}
}

// TestStrangerIsPlacedLater: a view can come after a message about it. The newest that
// waited is then taken in, as old as it is.
func TestStrangerIsPlacedLater(t *testing.T) {
	before := viewOf(nodeA, upDriver(nodeA, 1))
	var box inbox
	for i, a := range []struct {
		token, sequence uint64
		want            outcome
	}{{1, 5, accepted}, {2, 2, unplaced}, {2, 3, unplaced}, {2, 1, unplaced}, {2, 3, unplaced}} {
		if got := box.take(version(a.token, a.sequence), before, viewNow+cluster.Instant(i)); got != a.want {
			t.Errorf("arrival %d: outcome %d, want %d", i, got, a.want)
		}
	}
	if box.retry(before) {
		t.Error("placed in the same view")
	}
	if !box.retry(inView()) {
		t.Fatal("not placed in a view that has the builder")
	}
	if s, at, _ := box.newest(); s.Token != 2 || s.Sequence != 3 || at != viewNow+2 {
		t.Errorf("newest %+v of arrival %d, want the one with 2, 3 of 2", s, at-viewNow)
	}
	if box.retry(inView()) {
		t.Error("placed twice")
	}
}

// TestStrangerThatCameTooLate: once something newer was taken in it is of no use.
func TestStrangerThatCameTooLate(t *testing.T) {
	var box inbox
	onlyB := viewOf(nodeB, upDriver(nodeB, 2))
	if box.take(version(1, 1), onlyB, viewNow) != unplaced || box.take(version(2, 1), onlyB, viewNow+1) != accepted {
		t.Fatal("the test is wrong")
	}
	if box.retry(inView()) {
		t.Error("something older was taken in")
	}
	if s, at, _ := box.newest(); s.Token != 2 || at != viewNow+1 {
		t.Errorf("newest %+v", s)
	}
}

// TestPoison: no version, however large, bars what a member says.
func TestPoison(t *testing.T) {
	const most = 1<<64 - 1
	var box inbox
	for _, s := range []*snapshot{
		{Token: most, Sequence: most, Builder: nodeA},
		{Token: most, Sequence: most, Builder: nodeC},
		{Token: 2, Sequence: most, Builder: nodeA},
		{Token: 1, Sequence: most, Builder: nodeB},
	} {
		if got := box.take(s, inView(), viewNow); got != unplaced {
			t.Errorf("%+v: outcome %d", s, got)
		}
		box.retry(inView())
	}
	if got := box.take(version(1, 1), inView(), viewNow+1); got != accepted {
		t.Errorf("a member's word after the poison: outcome %d", got)
	}
	if s, at, _ := box.newest(); s.Sequence != 1 || at != viewNow+1 {
		t.Errorf("newest %+v", s)
	}
}

// TestInboxOnlyMovesForward: in any order of arrivals and views the newest is the
// largest version that could be placed, with the time of its first arrival.
func TestInboxOnlyMovesForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var box inbox
		var newest *snapshot
		arrived := map[[2]uint64]cluster.Instant{}
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			v, now := drawView(t), viewNow+cluster.Instant(i)
			if rapid.IntRange(0, 3).Draw(t, "retry") == 0 {
				box.retry(v)
			} else {
				s := drawSnapshot(t)
				if _, before := arrived[[2]uint64{s.Token, s.Sequence}]; !before {
					arrived[[2]uint64{s.Token, s.Sequence}] = now
				}
				if got := box.take(s, v, now); got == accepted != (builtIn(v, s) && s.newer(newest)) {
					t.Fatalf("outcome %d of %+v after %+v", got, s, newest)
				}
			}
			s, at, _ := box.newest()
			if s != newest && !s.newer(newest) {
				t.Fatalf("from %+v back to %+v", newest, s)
			}
			if s != nil && (at > now || at < arrived[[2]uint64{s.Token, s.Sequence}]) {
				t.Fatalf("came at %v, before it arrived", at)
			}
			newest = s
		}
	})
}

// TestInboxConcurrentSafe has many bring snapshots while others read.
func TestInboxConcurrentSafe(t *testing.T) {
	var box inbox
	var all sync.WaitGroup
	for token := range uint64(2) {
		all.Go(func() {
			for sequence := range uint64(200) {
				box.take(version(token+1, sequence+1), inView(), viewNow)
				box.retry(inView())
			}
		})
	}
	all.Go(func() {
		var last *snapshot
		for range 1000 {
			s, _, _ := box.newest()
			if s != last && !s.newer(last) {
				t.Errorf("from %+v back to %+v", last, s)
			}
			last = s
		}
	})
	all.Wait()
	if s, _, _ := box.newest(); s.Token != 2 || s.Sequence != 200 {
		t.Errorf("newest %+v", s)
	}
}
