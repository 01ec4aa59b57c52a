package board_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestZeroIsALegalTime: a board on a clock at zero tells "now" from "never" (X26).
func TestZeroIsALegalTime(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "orders")
	if o := observe(t, b, "orders"); o.State != board.Unreported || o.LagKnown || o.PositionKnown {
		t.Fatalf("registered at zero: %+v", o)
	}
	r.BeatLag(0)
	r.SetPosition(0)
	clock.set(ms(7))
	o := observe(t, b, "orders")
	if o.State != board.Running || o.Age != ms(7) || !o.LagKnown || o.LagAge != ms(7) || !o.PositionKnown || o.PositionAge != ms(7) {
		t.Fatalf("beaten at zero: %+v", o)
	}
}

// TestAgesAreNeverNegative: a clock that steps back, or below the board's base,
// gives zero, and a stamp never moves back.
func TestAgesAreNeverNegative(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "orders")
	clock.set(ms(100))
	r.BeatLag(1)
	for _, at := range []time.Duration{ms(100), ms(40), 0, -ms(5), -time.Hour} {
		clock.set(at)
		if o := observe(t, b, "orders"); o.Age != 0 || o.LagAge != 0 {
			t.Errorf("clock at %v: age %v, lag age %v", at, o.Age, o.LagAge)
		}
		r.Beat()
		if b.Now() < 0 {
			t.Errorf("clock at %v: Now is %v", at, b.Now())
		}
	}
	clock.set(ms(130))
	if o := observe(t, b, "orders"); o.Age != ms(30) {
		t.Errorf("beats of a clock that stepped back moved the stamp: age %v, want 30ms", o.Age)
	}
}

// TestAgeIsExact to the nanosecond, far from the base too.
func TestAgeIsExact(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "orders")
	for _, base := range []time.Duration{1, time.Hour, 4 * 365 * 24 * time.Hour} {
		clock.set(base)
		r.Beat()
		clock.move(12345)
		if o := observe(t, b, "orders"); o.Age != 12345 {
			t.Errorf("at %v: age %v, want 12345ns", base, o.Age)
		}
	}
}

// TestMonotonicByDefault: under synctest the board's default clock is the fake
// one, and ages follow it.
func TestMonotonicByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		r := register(t, b, "orders")
		r.Beat()
		time.Sleep(90 * time.Millisecond)
		if o := observe(t, b, "orders"); o.Age != ms(90) || b.Now() != ms(90) {
			t.Errorf("age %v, Now %v", o.Age, b.Now())
		}
	})
}

func TestCoarseClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.WithCoarseClock(10 * time.Millisecond))
		r := register(t, b, "orders")
		r.Beat() // Run does not run: the exact clock
		time.Sleep(3 * time.Millisecond)
		if o := observe(t, b, "orders"); o.Age != ms(3) {
			t.Errorf("before Run: age %v, want 3ms", o.Age)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- b.Run(ctx) }()
		synctest.Wait()
		if err := b.Run(ctx); err == nil {
			t.Error("a second Run is no error")
		}

		for range 5 { // all within one tick
			r.Beat()
			r.BeatLag(3)
		}
		time.Sleep(9 * time.Millisecond)
		if o := observe(t, b, "orders"); o.Beats != 2 || o.Age != 0 || o.Lag != 3 || b.ClockAge() != ms(9) {
			t.Errorf("within a tick: beats %d, age %v, clock age %v", o.Beats, o.Age, b.ClockAge())
		}
		time.Sleep(21 * time.Millisecond)
		synctest.Wait()
		if o := observe(t, b, "orders"); o.Age != ms(30) {
			t.Errorf("three ticks later: age %v, want 30ms", o.Age)
		}
		if at, ok := b.ClockResumed(); ok {
			t.Errorf("a stall at %v that never was", at)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		time.Sleep(5 * time.Millisecond)
		r.Beat()
		if o := observe(t, b, "orders"); o.Age != 0 || b.ClockAge() != 0 {
			t.Errorf("after Run: age %v", o.Age)
		}
	})
}

// stallingClock makes a coarse clock's Run late: its reading jumps.
func TestCoarseClockTellsItsStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &handClock{}
		b := board.New(board.WithClock(c), board.WithCoarseClock(time.Millisecond))
		r := register(t, b, "orders")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = b.Run(ctx) }()
		synctest.Wait()
		r.Beat()
		c.set(ms(100)) // 100 ms late is not a stall, one more is
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if at, ok := b.ClockResumed(); ok {
			t.Errorf("stall at %v: 100ms is within the bound", at)
		}
		c.set(ms(201))
		if o := observe(t, b, "orders"); o.Age != ms(100) || b.ClockAge() != ms(101) {
			t.Errorf("in the stall: age %v, clock age %v", o.Age, b.ClockAge())
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if at, ok := b.ClockResumed(); !ok || at != ms(201) {
			t.Errorf("resumed at %v, %v; want 201ms", at, ok)
		}
	})
}

func TestInvalidOptions(t *testing.T) {
	for name, row := range map[string]struct {
		option board.Option
		want   []string
	}{
		"resolution too fine":   {board.WithCoarseClock(100*time.Microsecond - 1), []string{"resolution", "99.999µs", "100µs"}},
		"resolution too coarse": {board.WithCoarseClock(time.Second + 1), []string{"resolution", "1.000000001s", "1s"}},
		"resolution negative":   {board.WithCoarseClock(-time.Second), []string{"resolution", "-1s"}},
		"maximum negative":      {board.WithMaxProcessors(-1), []string{"maximum", "-1", "0"}},
		"name":                  {board.WithName("a\tb"), []string{"name", `a\tb`, "control"}},
	} {
		_, err := board.New(row.option).Register(board.Spec{ID: "orders"})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, part := range row.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not tell %q", name, err, part)
			}
		}
	}
	for _, fine := range []time.Duration{0, 100 * time.Microsecond, time.Second} {
		if _, err := board.New(board.WithCoarseClock(fine)).Register(board.Spec{ID: "orders"}); err != nil {
			t.Errorf("resolution %v: %v", fine, err)
		}
	}
}
