//go:build loopvitals_yield

package board_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

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
