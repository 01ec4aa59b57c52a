package board_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
)

func keys(b *board.Board) []string {
	var all []string
	for o := range b.All() {
		all = append(all, o.Key)
	}
	return all
}

// TestAllIsInKeyOrder, whatever order of registration, Close and Restart.
func TestAllIsInKeyOrder(t *testing.T) {
	b, _ := newBoard()
	var want []string
	rs := map[string]*board.Reporter{}
	for _, i := range []int{5, 3, 9, 1, 7} {
		id := fmt.Sprintf("p%d", i)
		rs[id] = register(t, b, id)
		want = append(want, id)
		slices.Sort(want)
		if diff := cmp.Diff(want, keys(b)); diff != "" {
			t.Fatal(diff)
		}
	}
	rs["p3"].Close()
	rs["p9"].Restart()
	want = slices.DeleteFunc(want, func(id string) bool { return id == "p3" })
	if diff := cmp.Diff(want, keys(b)); diff != "" {
		t.Fatal(diff)
	}
	for range b.All() {
		break
	}
}

// TestGetUnknown gives the zero Observation, never an error (S5.1, S5.2).
func TestGetUnknown(t *testing.T) {
	b, _ := newBoard()
	register(t, b, "orders")
	keys(b)
	for _, key := range []string{"", "a", "orders ", "z"} {
		if o, ok := b.Get(key); ok || differ(o, board.Observation{}) != "" {
			t.Errorf("Get(%q) = %+v, %v", key, o, ok)
		}
	}
}

// TestReadersAgree: Get, All and Sweep show the same, for every kind of line.
func TestReadersAgree(t *testing.T) {
	b, clock := newBoard()
	for state, report := range enter {
		report(register(t, b, state.String()))
		lagging := register(t, b, "lagging "+state.String())
		lagging.SetLag(11)
		lagging.SetPosition(-4)
		report(lagging)
	}
	limited := register(t, b, "limited")
	limited.BusyFor(time.Minute)
	pooled := register(t, b, "pooled")
	worker(t, pooled, "1").BeatLag(5)
	worker(t, pooled, "2").BusyFor(time.Second)
	clock.set(ms(20))

	var o board.Observation
	n := 0
	sweep := b.Sweep()
	for all := range b.All() {
		if !sweep.Next() || !sweep.Observe(&o) {
			t.Fatal("Sweep ends early")
		}
		if diff := differ(all, o); diff != "" {
			t.Errorf("All and Sweep: %s", diff)
		}
		if diff := differ(all, observe(t, b, all.Key)); diff != "" {
			t.Errorf("All and Get: %s", diff)
		}
		age, running := sweep.Running()
		if want := o.State == board.Running && len(o.Workers) == 0; running != want || running && age != o.Age {
			t.Errorf("%s: a quick look says %v, %v", o.Key, age, running)
		}
		if sweep.Key() != o.Key || sweep.Interval() != o.Interval {
			t.Errorf("%s: Sweep says %s, %v", o.Key, sweep.Key(), sweep.Interval())
		}
		n++
	}
	if sweep.Next() || n != b.Len() {
		t.Errorf("%d of %d seen", n, b.Len())
	}
}

// TestLagSaturates: a negative lag is zero, an absurd one the most there is, and
// both are counted.
func TestLagSaturates(t *testing.T) {
	b, _ := newBoard()
	r := register(t, b, "orders")
	for _, row := range []struct{ in, out int64 }{
		{0, 0},
		{1, 1},
		{-1, 0},
		{math.MinInt64, 0},
		{1<<53 - 1, 1<<53 - 1},
		{1 << 53, 1<<53 - 1},
		{math.MaxInt64, 1<<53 - 1},
	} {
		r.BeatLag(row.in)
		if o := observe(t, b, "orders"); o.Lag != row.out {
			t.Errorf("BeatLag(%d) shows %d", row.in, o.Lag)
		}
		r.SetLag(row.in)
		if o := observe(t, b, "orders"); o.Lag != row.out {
			t.Errorf("SetLag(%d) shows %d", row.in, o.Lag)
		}
	}
	if n := b.Events().ClampedLags; n != 8 {
		t.Errorf("%d clamped lags counted, want 8", n)
	}
}

// TestPositionAge counts from the last change, not the last report.
func TestPositionAge(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "orders")
	for _, row := range []struct {
		at, position int
		age          time.Duration
	}{
		{0, 5, 0}, {10, 5, ms(10)}, {20, 6, 0}, {30, 6, ms(10)}, {40, 5, 0}, // a rewind is a change
	} {
		clock.set(ms(row.at))
		r.SetPosition(int64(row.position))
		if o := observe(t, b, "orders"); o.Position != int64(row.position) || o.PositionAge != row.age || !o.PositionKnown {
			t.Errorf("at %d: position %d, age %v; want %v", row.at, o.Position, o.PositionAge, row.age)
		}
	}
}

// TestPositionIsFreshAfterALagOfZero: a source that was idle for an hour and
// then has an event does not stand still since an hour ago.
func TestPositionIsFreshAfterALagOfZero(t *testing.T) {
	for name, report := range map[string]func(*board.Reporter, int64){
		"BeatLag": (*board.Reporter).BeatLag, "SetLag": (*board.Reporter).SetLag,
	} {
		b, clock := newBoard()
		r := register(t, b, "orders")
		r.Beat()
		report(r, 0)
		if o := observe(t, b, "orders"); o.PositionKnown {
			t.Errorf("%s(0) made a position", name)
		}
		r.SetPosition(5)
		for _, row := range []struct {
			at  int
			lag int64
			age time.Duration
		}{
			{10, 3, ms(10)}, {20, 0, 0}, {30, 3, ms(10)}, {40, 3, ms(20)}, {50, 0, 0},
		} {
			clock.set(ms(row.at))
			report(r, row.lag)
			if o := observe(t, b, "orders"); o.PositionAge != row.age || o.Position != 5 {
				t.Errorf("%s(%d) at %d: position %d has stood for %v, want %v", name, row.lag, row.at, o.Position, o.PositionAge, row.age)
			}
		}
	}
}

func TestBusyLimit(t *testing.T) {
	b, _ := newBoard()
	r := register(t, b, "orders")
	for _, row := range []struct{ in, out time.Duration }{
		{time.Minute, time.Minute},
		{-1, 0},
		{0, 0},
		{1, ms(1)},
		{ms(1) + 1, ms(2)},
		{math.MaxInt64, (1<<32 - 1) * time.Millisecond},
	} {
		r.BusyFor(row.in)
		if o := observe(t, b, "orders"); o.State != board.Busy || o.Limit != row.out {
			t.Errorf("BusyFor(%v): %v with limit %v, want %v", row.in, o.State, o.Limit, row.out)
		}
		r.BeatLag(1)
		if o := observe(t, b, "orders"); o.Limit != row.out {
			t.Errorf("BusyFor(%v), beat: limit %v, want %v", row.in, o.Limit, row.out)
		}
	}
	r.Busy()
	if o := observe(t, b, "orders"); o.Limit != 0 {
		t.Errorf("the next unit inherits a limit of %v", o.Limit)
	}
	for range 100 { // registers come back
		r.BusyFor(time.Second)
		r.Done()
	}
	r.BusyFor(time.Hour)
	if o := observe(t, b, "orders"); o.Limit != time.Hour {
		t.Errorf("limit %v, want 1h", o.Limit)
	}
}
