package promtest

import (
	"context"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/check/redundancy"
)

// pair is two warm nodes in one process, a the primary and b the one that the
// program exports.
type pair struct {
	a, b *redundancy.Node
	bus  *redundancy.LocalBus
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{bus: redundancy.NewLocalBus()}
	node := func(address string) *redundancy.Node {
		view := clustertest.NewScriptFollowing(cluster.BootClock{}, address)
		for _, member := range []string{"a:4053", "b:4053"} {
			view.Join(member, "driver")
			view.Up(member)
		}
		view.Confirm(time.Hour)
		n, err := redundancy.New(redundancy.Config{
			Source: view, Bus: p.bus, Role: "driver",
			Prober:        func(context.Context, cluster.Member) error { return nil },
			ProbeInterval: time.Second,
		})
		must(t, err)
		return n
	}
	p.a, p.b = node("a:4053"), node("b:4053")
	return p
}

// work has b deny, and ignore what is no message, until the end.
func (p *pair) work(ctx context.Context) error {
	often(ctx, func() {
		_ = p.b.Site(redundancy.SiteWrite).Allow()
		_ = p.bus.Publish(ctx, "snapshot", []byte("no snapshot"))
	})
	return nil
}
