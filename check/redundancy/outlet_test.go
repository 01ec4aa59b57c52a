package redundancy

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a Publisher that remembers what it was told, and does with it what the
// test wants.
type screen struct {
	do func(level uint8) error // nil shows it

	mu   sync.Mutex
	told []uint8
	busy atomic.Int32
}

func (s *screen) PublishServiceLevel(level uint8) error {
	if s.busy.Add(1) > 1 {
		panic("told twice at a time")
	}
	defer s.busy.Add(-1)
	s.mu.Lock()
	s.told = append(s.told, level)
	s.mu.Unlock()
	if s.do != nil {
		return s.do(level)
	}
	return nil
}

// was returns what the screen was told, in order.
func (s *screen) was() []uint8 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// wantTold waits until nothing moves and compares.
func wantTold(t *testing.T, when string, s *screen, want ...uint8) {
	t.Helper()
	synctest.Wait()
	if got := s.was(); !slices.Equal(got, want) {
		t.Errorf("%s: told %v, want %v", when, got, want)
	}
}

// outcomes counts how calls end.
type outcomes struct{ failed, fine atomic.Int64 }

func (o *outcomes) count(err error) {
	if err != nil {
		o.failed.Add(1)
		return
	}
	o.fine.Add(1)
}

// TestOutletTellsEachChangeOnce: the first value also when it is 0 (S4.20, X15),
// each change once, and no repeat (S4.21).
func TestOutletTellsEachChangeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o outlet
		s := &screen{}
		o.bind(s)
		wantTold(t, "before the first", s)
		for _, level := range []uint8{0, 0, 100, 240, 250, 250, 200, 100, 0, 0} {
			o.show(level)
			synctest.Wait()
		}
		wantTold(t, "in the end", s, 0, 100, 240, 250, 200, 100, 0)
	})
}

// TestOutletIsBoundLate: nobody is told before Bind, then the present level at once,
// also when it is 0, and it may be swapped and taken away (S4.22).
func TestOutletIsBoundLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o outlet
		first, second := &screen{}, &screen{}
		o.show(200)
		o.show(0)
		o.bind(first)
		wantTold(t, "bound late", first, 0)
		o.bind(first)
		wantTold(t, "bound again", first, 0)
		o.show(250)
		synctest.Wait()
		o.bind(second)
		wantTold(t, "the next", second, 250)
		o.show(240)
		wantTold(t, "who was replaced", first, 0, 250)
		wantTold(t, "the next", second, 250, 240)
		o.bind(nil)
		o.show(100)
		wantTold(t, "nobody", second, 250, 240)
		o.bind(second)
		wantTold(t, "back", second, 250, 240, 100)
		o.bind(nil)
		o.bind(second)
		wantTold(t, "bound afresh", second, 250, 240, 100, 100)
	})
}

// TestOutletNeverWaits: while a Publisher is slow the levels that come are not
// queued, the newest follows, and none arrives after a newer one.
func TestOutletNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends outcomes
		o := outlet{outcome: ends.count}
		s := &screen{do: func(uint8) error { time.Sleep(time.Second); return nil }}
		o.bind(s)
		began := time.Now()
		for _, level := range []uint8{250, 240, 200, 100, 240} {
			o.show(level)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("waited %v", took)
		}
		wantTold(t, "under way", s, 250)
		time.Sleep(time.Second)
		wantTold(t, "then", s, 250, 240)
		o.show(100)
		o.show(240)
		time.Sleep(time.Minute)
		wantTold(t, "there and back", s, 250, 240)
		if ends.failed.Load() != 0 || ends.fine.Load() != 2 {
			t.Errorf("%d failed, %d did not", ends.failed.Load(), ends.fine.Load())
		}
	})
}

// TestOutletTriesAgain: a Publisher that fails in whichever way is tried again with
// the next level that is shown, the same or another, and not before.
func TestOutletTriesAgain(t *testing.T) {
	for name, fail := range map[string]func() error{
		"an error":            func() error { return errors.New("no session") },
		"a panic":             func() error { panic("no session") },
		"the goroutine's end": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ends outcomes
				o := outlet{outcome: ends.count}
				broken := true
				s := &screen{do: func(uint8) error {
					if broken {
						return fail()
					}
					return nil
				}}
				o.bind(s)
				o.show(250)
				time.Sleep(time.Hour)
				wantTold(t, "the first", s, 250)
				o.show(250)
				wantTold(t, "the next tick", s, 250, 250)
				o.show(200)
				wantTold(t, "a change", s, 250, 250, 200)
				broken = false
				o.show(200)
				wantTold(t, "it works", s, 250, 250, 200, 200)
				o.show(200)
				wantTold(t, "for good", s, 250, 250, 200, 200)
				broken = true
				o.show(100)
				synctest.Wait()
				broken = false
				o.show(200)
				wantTold(t, "back after a failure, which may have shown", s, 250, 250, 200, 200, 100, 200)
				if ends.failed.Load() != 4 || ends.fine.Load() != 2 {
					t.Errorf("%d failed, %d did not", ends.failed.Load(), ends.fine.Load())
				}
			})
		})
	}
}

// TestOutletFollowsAFailure: what has changed while a call failed is told at once.
func TestOutletFollowsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o outlet
		s := &screen{do: func(level uint8) error {
			time.Sleep(time.Second)
			if level == 250 {
				return errors.New("no session")
			}
			return nil
		}}
		o.bind(s)
		o.show(250)
		time.Sleep(time.Millisecond)
		o.show(100)
		time.Sleep(time.Hour)
		wantTold(t, "at once", s, 250, 100)
	})
}

// TestOutletSurvivesTheLog: a log that ends the goroutine in which it is told does not
// keep the next level from the Publisher.
func TestOutletSurvivesTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := outlet{outcome: func(error) { runtime.Goexit() }}
		s := &screen{}
		o.bind(s)
		o.show(250)
		synctest.Wait()
		o.show(0)
		wantTold(t, "after that", s, 250, 0)
	})
}

// TestOutletLate is the table of the bound of a call: late is a failure, told once,
// whatever comes of it, and what it has shown is shown.
func TestOutletLate(t *testing.T) {
	for name, c := range map[string]struct {
		takes        time.Duration
		err          error
		failed, fine int64
	}{
		"just in time":     {publishTimeout - 1, nil, 0, 1},
		"late":             {publishTimeout + 1, nil, 1, 1},
		"late and failed":  {publishTimeout + 1, errors.New("no session"), 1, 0},
		"failed in time":   {publishTimeout - 1, errors.New("no session"), 1, 0},
		"later than later": {time.Hour, nil, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ends outcomes
				o := outlet{outcome: ends.count}
				s := &screen{do: func(uint8) error { time.Sleep(c.takes); return c.err }}
				o.bind(s)
				o.show(250)
				time.Sleep(2 * time.Hour)
				if ends.failed.Load() != c.failed || ends.fine.Load() != c.fine {
					t.Errorf("%d failed, %d did not; want %d, %d", ends.failed.Load(), ends.fine.Load(), c.failed, c.fine)
				}
				wantTold(t, "once", s, 250)
			})
		})
	}
}

// TestOutletReplacesTheHung: a Publisher that never returns costs its goroutine and
// not the next one's levels; bound again it goes on where it was, one call at a time.
func TestOutletReplacesTheHung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o outlet
		gone := make(chan struct{})
		hung, next := &screen{do: func(uint8) error { <-gone; return nil }}, &screen{}
		o.bind(hung)
		o.show(100)
		o.show(200)
		wantTold(t, "hung", hung, 100)
		o.bind(next)
		o.show(250)
		wantTold(t, "the next", next, 200, 250)
		o.bind(hung)
		wantTold(t, "hung still", hung, 100)
		close(gone)
		wantTold(t, "back", hung, 100, 250)
		if len(o.leaving) != 0 {
			t.Errorf("%d are never forgotten", len(o.leaving))
		}
	})
}

// TestOutletForgetsTheReplaced: one that returns after it was replaced is told no
// more, and forgotten.
func TestOutletForgetsTheReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o outlet
		slow, next := &screen{do: func(uint8) error { time.Sleep(time.Minute); return nil }}, &screen{}
		o.bind(slow)
		o.show(100)
		synctest.Wait()
		o.bind(next)
		o.show(250)
		time.Sleep(time.Hour)
		wantTold(t, "who was replaced", slow, 100)
		wantTold(t, "the next", next, 100, 250)
		if len(o.leaving) != 0 {
			t.Errorf("%d are never forgotten", len(o.leaving))
		}
	})
}

// uncomparable is a Publisher that == would panic of.
type uncomparable struct {
	show func(uint8)
	_    []int
}

func (u uncomparable) PublishServiceLevel(level uint8) error { u.show(level); return nil }

// TestOutletOfAnyKind: a Publisher need not be comparable, nor there.
func TestOutletOfAnyKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends outcomes
		o := outlet{outcome: ends.count}
		var told atomic.Int64
		u := uncomparable{show: func(uint8) { told.Add(1) }}
		o.bind(u)
		o.show(0)
		synctest.Wait()
		o.bind(u)
		synctest.Wait()
		if told.Load() != 2 {
			t.Errorf("told %d times", told.Load())
		}
		o.bind((*screen)(nil))
		o.show(100)
		synctest.Wait()
		if ends.failed.Load() != 2 { // when it was bound, and with the new level
			t.Errorf("%d failed", ends.failed.Load())
		}
	})
}

// TestOutletSettles is the table of how long the last level is waited for.
func TestOutletSettles(t *testing.T) {
	for name, c := range map[string]struct {
		takes, want time.Duration
		err         error
		levels      []uint8
	}{
		"nothing shown":  {0, 0, nil, nil},
		"at once":        {0, 0, nil, []uint8{0}},
		"slow":           {300 * time.Millisecond, 300 * time.Millisecond, nil, []uint8{0}},
		"two":            {300 * time.Millisecond, 600 * time.Millisecond, nil, []uint8{250, 0}},
		"fails":          {300 * time.Millisecond, 300 * time.Millisecond, errors.New("no session"), []uint8{0}},
		"never":          {time.Hour, 800 * time.Millisecond, nil, []uint8{0}},
		"two are longer": {500 * time.Millisecond, 800 * time.Millisecond, nil, []uint8{250, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var o outlet
				o.bind(&screen{do: func(uint8) error { time.Sleep(c.takes); return c.err }})
				for _, level := range c.levels {
					o.show(level)
				}
				began := time.Now()
				o.settle(800 * time.Millisecond)
				if took := time.Since(began); took != c.want {
					t.Errorf("waited %v, want %v", took, c.want)
				}
				time.Sleep(2 * time.Hour) // until all calls have ended
			})
		})
	}
}

// TestOutletConcurrentSafe: shown and bound by many at once, each screen is told one
// at a time, and the one that stays ends up with the level of the end.
func TestOutletConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends outcomes
		o := outlet{outcome: ends.count}
		screens := []*screen{{}, {}, {}}
		for _, s := range screens {
			call := 0 // one at a time
			s.do = func(level uint8) error {
				time.Sleep(time.Duration(level) * time.Millisecond)
				if call++; call%2 == 1 && level != 251 {
					panic("no session")
				}
				return nil
			}
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for k := range 100 {
					o.show(uint8(1 + i*k%250))
					o.bind(screens[(i+k)%len(screens)])
					time.Sleep(time.Duration(k%5) * time.Millisecond)
				}
			})
		}
		all.Wait()
		o.bind(screens[0])
		o.show(251)
		time.Sleep(time.Hour)
		told := screens[0].was()
		if last := told[len(told)-1]; last != 251 {
			t.Errorf("in the end it shows %d", last)
		}
		if ends.failed.Load() == 0 || ends.fine.Load() == 0 {
			t.Errorf("%d failed, %d did not", ends.failed.Load(), ends.fine.Load())
		}
	})
}
