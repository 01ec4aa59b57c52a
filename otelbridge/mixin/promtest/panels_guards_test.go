package promtest

import (
	"context"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// gateways are the guards of three connections: one whose other side never answers
// and is asked again and again, one with a single request that is not looked after,
// and one with nothing to do.
type gateways struct{ dead, slow, well *resubscribe.Guard }

func newGateways(t *testing.T) *gateways {
	t.Helper()
	guard := func(c resubscribe.Config) *resubscribe.Guard {
		g, err := resubscribe.New(c)
		must(t, err)
		return g
	}
	g := &gateways{
		dead: guard(resubscribe.Config{
			Key: "dead", Floor: time.Millisecond, Max: 100 * time.Millisecond, Ceiling: 50 * time.Millisecond,
		}),
		slow: guard(resubscribe.Config{Key: "slow"}),
		well: guard(resubscribe.Config{Key: "well"}),
	}
	g.slow.Begin()
	if a, _, ok := g.well.Begin(); !ok || !g.well.Succeed(a.ID) {
		t.Fatal("the well one could not subscribe")
	}
	return g
}

func (g *gateways) all() []*resubscribe.Guard { return []*resubscribe.Guard{g.dead, g.slow, g.well} }

// work asks the dead one until the end.
func (g *gateways) work(ctx context.Context) error {
	often(ctx, func() { g.dead.Begin() })
	return nil
}
