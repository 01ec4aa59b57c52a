//go:build loopvitals_yield

package board_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
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

// A timing is the clock of a sleeper's board.
type timing struct {
	name    string
	options []board.Option
	move    func(b *board.Board) // before each call, where it does not do as told
	at      func(turn int) time.Duration
	more    time.Duration // for reads
}

var timings = []timing{
	{name: "standing", at: func(int) time.Duration { return 0 }, more: hour},
	{name: "going", at: eachTurn, more: hour},
	{
		name: "monotonic", at: eachTurn, options: []board.Option{board.WithClock(nil)},
		move: func(*board.Board) { time.Sleep(time.Nanosecond) }, // the bubble's clock
	},
	{
		name: "coarse", at: eachTurn, options: []board.Option{board.WithClock(nil), board.WithCoarseClock(0)},
		move: func(b *board.Board) {
			time.Sleep(time.Nanosecond)
			board.HoldTick(b, b.Now())
		},
	},
}

func eachTurn(turn int) time.Duration { return time.Duration(turn) }

// sleepers are the calls that may sleep. Reports read the clock before they can
// be interrupted; for the others it must do as it is told.
func (c timing) sleepers(theme []op) []op {
	if c.move == nil {
		return unique(theme, readOps)
	}
	return slices.DeleteFunc(unique(theme), op.locks)
}

// TestSleepersAreLinearizable lets every call sleep at its yield points. What
// the sleeper and the others see must be explained like everything else. But
// for the choice of the others' calls nothing is left to chance.
func TestSleepersAreLinearizable(t *testing.T) {
	for _, clock := range timings {
		t.Run(clock.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				histories := 0
				for seed, naps := range slices.Concat(often(), once(), twice()) {
					if raceEnabled && seed%8 > 0 {
						continue // one call runs at a time: there is little to detect
					}
					for _, theme := range themes {
						for _, sleeper := range clock.sleepers(theme) {
							history, err := sleepThrough(seed, theme, sleeper, naps, clock)
							histories++
							if err != nil {
								t.Fatalf("history %d, %v of client 1 sleeps %v: %v\n%s", histories, sleeper, naps, err, transcript(history))
							}
						}
					}
				}
				t.Logf("%d histories", histories)
			})
		})
	}
}

func unique(ops ...[]op) []op {
	all := slices.Concat(ops...)
	slices.Sort(all)
	return slices.Compact(all)
}

// sleepThrough makes a history in which one call naps, as far as it has such
// yield points.
func sleepThrough(seed int, theme []op, sleeper op, naps []nap, clock timing) ([]porcupine.Operation, error) {
	random := rand.New(rand.NewPCG(uint64(seed), uint64(sleeper)))
	s := newStage(plan{{{}}}, clock.options...)
	turn := 0
	next := func(o op) call {
		turn++
		if clock.move != nil {
			clock.move(s.board)
		}
		c := call{op: o, at: clock.at(turn)}
		if o.reads() {
			c.at += clock.more
		}
		c.argue(random, turn, seed%2 == 1)
		return c
	}
	perform := func(o op) {
		c := next(o)
		c.reporter = s.reporter(turn)
		s.main.do(c)
	}

	for range random.IntN(4) {
		perform(pick(random, theme))
	}
	perform(opScan) // makes the index: reads take no lock from here on
	s.clients[0].calls[0] = next(sleeper)
	asleep := true
	var readings []time.Duration // of the clock when the sleeper went on
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
		readings = append(readings, clock.at(turn))
	}
	if asleep {
		close(s.clients[0].start)
	}
	history, err := s.end(next(opGet))
	if clock.move != nil && errors.Is(err, errNotLinearizable) && readAgain(history, readings) {
		err = nil
	}
	return history, err
}

// readAgain tells whether the history is explained by what the clock read when
// the sleeper went on. The short ways of reports may read it again.
func readAgain(history []porcupine.Operation, readings []time.Duration) bool {
	i := slices.IndexFunc(history, func(o porcupine.Operation) bool { return o.ClientId == 1 })
	return slices.ContainsFunc(readings, func(at time.Duration) bool {
		in := history[i].Input.(call)
		in.at = at
		history[i].Input = in
		return porcupine.CheckOperations(specification, history)
	})
}

// locks tells whether the call takes the board's lock, reads that come upon a
// change of the board aside.
func (o op) locks() bool { return o >= opRestart && o <= opRemove }

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
