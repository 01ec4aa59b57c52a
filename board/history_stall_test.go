//go:build loopvitals_yield

package board_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestStalledReports stalls reports for good, at every yield point. Readers
// answer and other reports take effect; a lag stays known while no more than
// three reports that give one are stalled, a limit while no more than two are,
// and neither is ever wrong.
func TestStalledReports(t *testing.T) {
	for _, stalled := range []op{opBeat, opBeatLag, opSetLag, opIdle, opBusy, opBusyFor, opDone, opFault, opGet, opAll, opScan} {
		for count := 1; count <= 5; count++ {
			t.Run(fmt.Sprintf("%v×%d", stalled, count), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					for point := 0; stallAt(t, stalled, count, point); point++ {
					}
					for point := 0; stallAt(t, stalled, count, point, board.WithClock(nil)); point++ {
					}
				})
			})
		}
	}
}

// stallAt stalls reports at a yield point and tells whether there is one.
func stallAt(t *testing.T, stalled op, count, point int, options ...board.Option) (reached bool) {
	t.Helper()
	const stale = 1000 // what the stalled reports say
	p := make(plan, count)
	for i := range p {
		p[i] = []call{{op: stalled, lag: stale, limit: stale * time.Second, cause: stale}}
	}
	s := newStage(p, options...)
	reporter := s.reporter(0)
	reporter.BeatLag(1)
	reporter.BusyFor(time.Second)
	var asleep []*client
	for _, c := range s.clients {
		if c.sleep(point) {
			asleep = append(asleep, c)
		}
	}
	for n := range 20 {
		s.main.reading = time.Duration(n)
		lag, limit := int64(n), time.Duration(n+1)*time.Second
		reporter.BusyFor(limit)
		reporter.SetLag(lag)
		o, ok := s.board.Get(historyKey)
		if !ok || o.Age != 0 && o.State != board.Faulted {
			t.Errorf("yield point %d: report %d shows as %v for %v", point, n, o.State, o.Age)
		}
		if o.Lag != lag && (o.LagKnown || count <= 3) {
			t.Errorf("yield point %d: lag %d, known %v, want %d", point, o.Lag, o.LagKnown, lag)
		}
		if o.Limit != limit && (o.Limit != 0 || count <= 2) && o.State == board.Busy {
			t.Errorf("yield point %d: limit %v, want %v", point, o.Limit, limit)
		}
	}
	for _, c := range asleep {
		close(c.start)
	}
	s.running.Wait()
	if board.Leaks(reporter) {
		t.Errorf("yield point %d: a report that has ended holds a cell or a register", point)
	}
	return len(asleep) > 0
}
