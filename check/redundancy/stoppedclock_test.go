package redundancy

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// stoppedSource stands still just before its fence.
type stoppedSource struct {
	*clustertest.Script
	asked atomic.Int64
}

func (s *stoppedSource) Now() cluster.Instant {
	s.asked.Add(1)
	if v := s.View(); v != nil {
		return v.ValidUntil - 1
	}
	return 0
}

// TestSourceStandsStill: a clock that stands just before something is due keeps no core
// busy.
func TestSourceStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		src := &stoppedSource{}
		w.start(nodeA, func(c *Config) {
			src.Script = c.Source.(*clustertest.Script)
			c.Source = src
		})
		w.up(nodeA)
		w.sleep(10 * time.Millisecond)
		if got := src.asked.Load(); got > 200 {
			t.Errorf("asked %d times in 10 ms", got)
		}
	})
}
