//go:build loopvitals_yield

package board_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/loopvitals/loopvitals/board"
)

// A nap is what a sleeper does: it goes on past some yield points, and sleeps
// at the next one while the main client makes some calls.
type nap struct{ after, through int }

// once naps at one yield point, for long: each cell and register is used twice.
func once() (all [][]nap) {
	for after := range 10 {
		for through := range 13 {
			all = append(all, []nap{{after, through}})
		}
	}
	return all
}

// twice naps at two yield points, through one to three calls at each.
func twice() (all [][]nap) {
	for after := range 8 {
		for more := range 4 {
			for n := range 9 {
				all = append(all, []nap{{after, 1 + n/3}, {more, 1 + n%3}})
			}
		}
	}
	return all
}

// often naps at each of the first yield points through one call, so that the
// others are faster all the time.
func often() (all [][]nap) {
	for n := range 24 {
		all = append(all, slices.Repeat([]nap{{0, 1}}, n))
	}
	return all
}

// TestSleepersAreLinearizable lets every call sleep at its yield points. What
// the sleeper and the others see must be explained like everything else. But
// for the choice of the others' calls nothing is left to chance.
func TestSleepersAreLinearizable(t *testing.T) {
	t.Run("once", func(t *testing.T) { sleepAll(t, once()) })
	t.Run("twice", func(t *testing.T) { sleepAll(t, twice()) })
	t.Run("often", func(t *testing.T) { sleepAll(t, often()) })
}

func sleepAll(t *testing.T, ways [][]nap) {
	histories := 0
	for _, theme := range themes {
		for _, sleeper := range unique(theme, readOps) {
			for _, clock := range []func(turn int) time.Duration{standing, going} {
				for seed, naps := range ways {
					history, err := sleepThrough(seed, theme, sleeper, naps, clock)
					histories++
					if err != nil {
						t.Fatalf("history %d, %v of client 1 sleeps %v: %v\n%s", histories, sleeper, naps, err, transcript(history))
					}
				}
			}
		}
	}
	t.Logf("%d histories", histories)
}

func standing(int) time.Duration   { return 0 }
func going(turn int) time.Duration { return time.Duration(turn) }

func unique(ops ...[]op) []op {
	all := slices.Concat(ops...)
	slices.Sort(all)
	return slices.Compact(all)
}

// sleepThrough makes a history in which one call naps, as far as it has such
// yield points.
func sleepThrough(seed int, theme []op, sleeper op, naps []nap, clock func(turn int) time.Duration) ([]porcupine.Operation, error) {
	random := rand.New(rand.NewPCG(uint64(seed), uint64(sleeper)))
	turn := 0
	next := func(o op) call {
		turn++
		c := call{op: o, at: clock(turn)}
		if o.reads() {
			c.at += hour
		}
		c.argue(random, turn)
		return c
	}
	s := newStage(plan{{next(sleeper)}})
	perform := func(o op) {
		c := next(o)
		c.reporter = s.reporter(turn)
		s.main.do(c)
	}

	for range random.IntN(4) {
		perform(pick(random, theme))
	}
	perform(opScan) // makes the index: reads take no lock from here on
	asleep := true
	for _, n := range naps {
		if asleep = s.clients[0].sleep(n.after); !asleep {
			break
		}
		for range n.through {
			o := pick(random, theme)
			if sleeper.locks() && o.locks() {
				continue // would wait for the sleeper
			}
			perform(o)
			perform(pick(random, readOps))
		}
	}
	if asleep {
		close(s.clients[0].start)
	}
	return s.end()
}

// sleep lets a client go on and tells whether it sleeps at a yield point, or
// has ended before. It goes on at the next call, or when its start is closed.
func (c *client) sleep(after int) bool {
	board.AtYield(func() {
		if after--; after == -1 {
			c.rest <- true
			<-c.start
		}
	})
	defer board.AtYield(nil)
	c.start <- struct{}{}
	return <-c.rest
}

// TestStalledReports stalls reports for good, at every yield point. Readers
// answer and other reports take effect; a lag stays known as long as no more
// than three reports that give one are stalled, and is never wrong.
func TestStalledReports(t *testing.T) {
	for _, stalled := range []op{opBeat, opBeatLag, opSetLag, opIdle, opBusy, opBusyFor, opDone, opFault, opGet, opScan} {
		for count := 1; count <= 5; count++ {
			t.Run(fmt.Sprintf("%v×%d", stalled, count), func(t *testing.T) {
				for point := 0; stallAt(t, stalled, count, point); point++ {
				}
			})
		}
	}
}

// stallAt stalls reports at a yield point and tells whether there is one.
func stallAt(t *testing.T, stalled op, count, point int) (reached bool) {
	t.Helper()
	p := make(plan, count)
	for i := range p {
		p[i] = []call{{op: stalled, lag: 1000, limit: time.Hour, cause: 1}}
	}
	s := newStage(p)
	reporter := s.reporter(0)
	reporter.BeatLag(1)
	reporter.BusyFor(time.Minute)
	defer s.running.Wait()
	for _, c := range s.clients {
		if c.sleep(point) {
			reached = true
			defer close(c.start)
		}
	}
	for lag := range int64(20) {
		s.main.reading = time.Duration(lag)
		reporter.BusyFor(time.Duration(lag+1) * time.Second)
		reporter.SetLag(lag)
		o, ok := s.board.Get(historyKey)
		switch {
		case !ok:
			t.Fatalf("point %d: absent", point)
		case o.LagKnown && o.Lag != lag, !o.LagKnown && count <= 3:
			t.Fatalf("point %d: lag %d, known %v: must be %d", point, o.Lag, o.LagKnown, lag)
		case o.State == board.Faulted && stalled == opFault:
		case o.State != board.Busy || o.Age != 0 || o.Limit != time.Duration(lag+1)*time.Second && count <= 2:
			t.Fatalf("point %d: %v for %v within %v", point, o.State, o.Age, o.Limit)
		}
	}
	return reached
}
