package grpcgate_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/tiers/grpcgate"
)

const nodeA, nodeB = "10.0.0.1:4053", "10.0.0.2:4053"

// TestCluster walks a server through the life of its node, behind the gate of
// check/cluster: starting, standby, active, and fenced with a stream under way.
func TestCluster(t *testing.T) {
	src := clustertest.NewScript(nodeB)
	g, err := cluster.NewGate(src)
	if err != nil {
		t.Fatal(err)
	}
	token := make(chan uint64, 1)
	client := serve(t, &service{
		unary: func(ctx context.Context) error {
			n, _ := cluster.Token(ctx)
			token <- n
			return nil
		},
		duplex: func(s duplex) error {
			n, _ := cluster.Token(s.Context())
			token <- n
			if err := s.Send(&grpc_testing.StreamingOutputCallResponse{}); err != nil {
				return err
			}
			_, err := s.Recv() // which the client leaves unanswered
			return err
		},
	}, g, nil)
	refused := func(state, want string) {
		t.Helper()
		for kind, call := range calls {
			err := call(within(t), client)
			wantNotActive(t, err)
			if node, _ := grpcgate.NotActive(err); node != want {
				t.Errorf("%s: %s: the active node is %q, want %q", state, kind, node, want)
			}
		}
	}
	refused("starting", "")
	for _, address := range []string{nodeA, nodeB} {
		src.Join(address)
		src.Up(address)
	}
	src.Confirm(time.Hour)
	refused("standby", nodeA)

	src.Remove(nodeA)
	if err := calls["unary"](within(t), client); err != nil {
		t.Errorf("active: %v", err)
	}
	if got := <-token; got != 2 {
		t.Errorf("active: token %d", got)
	}
	stream, err := client.FullDuplexCall(within(t))
	if err == nil {
		_, err = stream.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := <-token; got != 2 {
		t.Errorf("stream: token %d", got)
	}
	if working := src.Working(); working != 1 {
		t.Errorf("stream: %d pieces of work are under way", working)
	}
	src.Expire()
	_, err = stream.Recv()
	wantNotActive(t, err)
	refused("fenced", "")
	if working := src.Working(); working != 0 {
		t.Errorf("fenced: %d pieces of work are never done", working)
	}
}
