package casmember_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// bubbleClock is the clock of a bubble of synctest.
type bubbleClock struct{}

func (bubbleClock) Now() cluster.Instant { return cluster.Instant(time.Now().UnixNano()) }

// start runs a node until the end of the test.
func start(t *testing.T, kv casmember.KV, c casmember.Config) *casmember.Node {
	t.Helper()
	n, err := casmember.New(kv, c, casmember.WithClock(bubbleClock{}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = n.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return n
}

func TestOldestActsUntilItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		b := start(t, direct{e}, casmember.Config{Address: "10.0.0.2:4053", TTL: 3 * time.Second})
		time.Sleep(time.Second)
		a := start(t, direct{e}, casmember.Config{Address: "10.0.0.1:4053", TTL: 3 * time.Second})
		time.Sleep(5 * time.Second)
		if d := cluster.Ask(b); !d.Active {
			t.Errorf("the first is not active: %+v", d)
		}
		if d := cluster.Ask(a); d.Active || d.Holder.Address != "10.0.0.2:4053" {
			t.Errorf("the second: %+v", d)
		}
		if err := b.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if d := cluster.Ask(a); !d.Active {
			t.Errorf("the second is not active after the first has left: %+v", d)
		}
	})
}
