package board_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestHistoriesOnOwnClocks makes histories on a board's own clocks, from which
// reports have shorter ways. In a bubble, time stands while clients make their
// calls and goes on when all of them sleep, so that the specification knows
// what a call reads there, too.
func TestHistoriesOnOwnClocks(t *testing.T) {
	const pace = time.Millisecond
	clocks := map[string]struct {
		option board.Option
		reads  func(now time.Duration) time.Duration
	}{
		"monotonic": {board.WithClock(nil), func(now time.Duration) time.Duration { return now }},
		"coarse":    {board.WithCoarseClock(pace), func(now time.Duration) time.Duration { return now.Truncate(pace) }},
	}
	for name, clock := range clocks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := (histories(t) + 3) / 4
				for i := range n {
					seed := rand.Uint64()
					p := newPlan(rand.New(rand.NewPCG(seed, 0)), i)
					for _, calls := range p {
						for turn := range calls {
							calls[turn].at = clock.reads(pace/2 + time.Duration(turn+1)*pace)
						}
					}
					s := newStage(p, board.WithClock(nil), clock.option)
					ctx, stop := context.WithCancel(t.Context())
					go s.board.Run(ctx)
					time.Sleep(pace / 2) // away from the coarse clock's ticks
					s.pace = pace
					s.begin()
					s.running.Wait()
					time.Sleep(pace)
					history, err := s.end(call{op: opGet, at: clock.reads(s.board.Now())})
					stop()
					if err != nil {
						t.Fatalf("history %d, plan %d: %v\n%s", i+1, seed, err, transcript(history))
					}
				}
				t.Logf("%d histories", n)
			})
		})
	}
}
