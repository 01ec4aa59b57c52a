package liveness

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/loopvitals/loopvitals/board"
)

// calendar is a clock whose readings have a monotonic part, like time.Now's, and
// a calendar that can be set apart from it.
type calendar struct {
	base       time.Time
	mono, wall atomic.Int64
}

func newCalendar() *calendar { return &calendar{base: time.Now()} }

// Now is the base moved on by mono, with its calendar moved by wall.
func (c *calendar) Now() time.Time {
	now := c.base.Add(time.Duration(c.mono.Load()))
	// The layout of a time.Time with a monotonic reading: a flag, 33 bits of
	// seconds since 1885, 30 bits of nanoseconds; then the monotonic reading.
	parts := (*struct {
		wall uint64
		ext  int64
		loc  *time.Location
	})(unsafe.Pointer(&now))
	parts.wall += uint64(time.Duration(c.wall.Load())/time.Second) << 30
	return now
}

// TestCalendar: the clock of the next test does what it is for.
func TestCalendar(t *testing.T) {
	c := newCalendar()
	before := c.Now()
	c.mono.Store(int64(3 * second))
	c.wall.Store(int64(-4 * time.Hour))
	after := c.Now()
	if d := after.Sub(before); d != 3*second {
		t.Errorf("monotonic difference = %v, want 3s", d)
	}
	if d := after.Round(0).Sub(before.Round(0)); d != 3*second-4*time.Hour {
		t.Errorf("calendar difference = %v, want 3s - 4h", d)
	}
}

// TestCase105CalendarJumps: no step of the calendar, either way and however far,
// changes a verdict or an age (also row 11 of the fault matrix).
func TestCase105CalendarJumps(t *testing.T) {
	const year = 365 * 24 * time.Hour
	steps := []time.Duration{time.Hour, -time.Hour, 2 * time.Hour, -4 * time.Hour, 10 * year, -10 * year}
	for _, first := range steps {
		for _, then := range steps {
			c := newCalendar()
			b := board.New(board.WithClock(c))
			m, err := NewMonitor(b)
			if err != nil {
				t.Fatal(err)
			}
			p := b.MustRegister(board.Spec{ID: "P", Interval: 250 * ms})
			at := func(s float64) { c.mono.Store(int64(secondsOf(s))) }
			beats := func(from, to float64) {
				for s := from; s <= to; s += 0.25 {
					at(s)
					p.Beat()
				}
			}
			want := func(s float64, want Reason, age float64) {
				t.Helper()
				at(s)
				if v, _ := m.Verdict("P"); v.Reason != want || v.Age != secondsOf(age) {
					t.Errorf("jumps %v, %v at %vs: %v age %v, want %v age %vs", first, then, s, v.Reason, v.Age, want, age)
				}
			}
			beats(0, 1)
			c.wall.Store(int64(first))
			want(1.2, Running, 0.2)
			beats(1.25, 2)
			c.wall.Store(int64(first + then))
			want(6.9, Running, 4.9)
			want(7.1, Stale, 5.1)
		}
	}
}

// TestClockStandsStillOrGoesBack is row 15 of the fault matrix: ages clamp at
// zero, and nothing wraps.
func TestClockStandsStillOrGoesBack(t *testing.T) {
	r := newRig(t)
	p := r.register("P", 250*ms)
	random := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		switch random.IntN(4) {
		case 0:
			p.BeatLag(random.Int64N(100))
		case 1:
			p.Busy()
		}
		r.clock.set(time.Duration(random.Int64N(int64(4*second))) - second) // before the base, too
		v, _ := r.m.Processor("P")
		if v.Age < 0 || v.Age > 4*second || v.LagAge < 0 || v.LagAge > 4*second || v.Busy < 0 {
			t.Fatalf("verdict = %+v", v)
		}
	}
}

// TestSuspend is row 12 of the fault matrix. A suspended machine stops the
// monotonic clock: the loops were not silent, and nothing is late. A virtual
// machine that was paused may let it run on: that is a freeze.
func TestSuspend(t *testing.T) {
	r, ob := observed(t)
	ob.start()
	p := r.register("P", 250*ms)
	p.Beat()
	r.want("P", Running) // suspended for a day, and nobody noticed
	r.clock.add(24 * time.Hour)
	r.want("P", ObserverLate)
	ob.tick()
	r.want("P", ObserverLate)
	p.Beat()
	r.want("P", Running)
}
