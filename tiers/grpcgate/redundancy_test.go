package grpcgate_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

// warm is one node of a warm pair, of which A is the older.
func warm(t *testing.T, self string, bus redundancy.Bus) *redundancy.Node {
	t.Helper()
	src := clustertest.NewScript(self)
	for _, address := range []string{nodeA, nodeB} {
		src.Join(address, "driver")
		src.Up(address)
	}
	src.Confirm(time.Hour)
	n, err := redundancy.New(redundancy.Config{
		Source: src, Bus: bus, Role: "driver", Debounce: time.Millisecond,
		Prober: func(context.Context, cluster.Member) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWarmPair puts a server behind the write site of each node of a pair: clients
// hear which of the two kinds of no it is, and who takes writes (S4.26, S4.30).
func TestWarmPair(t *testing.T) {
	bus := redundancy.NewLocalBus()
	a, b := warm(t, nodeA, bus), warm(t, nodeB, bus)
	toA := serve(t, &service{}, a.Site(redundancy.SiteWrite), nil)
	toB := serve(t, &service{}, b.Site(redundancy.SiteWrite), nil)
	refused := func(when string, to client, message, node string) {
		t.Helper()
		for kind, call := range calls {
			err := call(within(t), to)
			wantNotActive(t, err)
			if got := status.Convert(err).Message(); got != message {
				t.Errorf("%s: %s: message %q, want %q", when, kind, got, message)
			}
			if got, _ := grpcgate.NotActive(err); got != node {
				t.Errorf("%s: %s: the active node is %q, want %q", when, kind, got, node)
			}
		}
	}
	refused("A before the run", toA, "not primary (role unknown)", "")
	refused("B before the run", toB, "not primary (role unknown)", nodeA)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, n := range []*redundancy.Node{a, b} {
		go func() { ended <- n.Run(ctx) }()
	}
	for told := within(t); a.Role() != redundancy.Primary || b.Role() != redundancy.Secondary; {
		if told.Err() != nil {
			t.Fatalf("A is %v and B is %v", a.Role(), b.Role())
		}
		time.Sleep(time.Millisecond)
	}
	for kind, call := range calls {
		if err := call(within(t), toA); err != nil {
			t.Errorf("the primary: %s: %v", kind, err)
		}
	}
	refused("the secondary", toB, "not primary", nodeA)
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
