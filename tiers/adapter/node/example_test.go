package node_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
	"github.com/loopvitals/loopvitals/tiers/adapter/node"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// An application becomes a node: its ingress is counted, and its observation is
// served on a unix socket.
func Example() {
	folder, _ := os.MkdirTemp("", "node")
	defer os.RemoveAll(folder)
	socket, token := filepath.Join(folder, "node.sock"), filepath.Join(folder, "token")
	_ = os.WriteFile(token, []byte("correct-horse-battery-staple\n"), 0o600)

	monitor, _ := liveness.NewMonitor(board.New())
	health := tiers.New()
	listener, _ := net.Listen("tcp", "127.0.0.1:0")

	// These lines make it a node.
	in, _ := node.NewIngress(node.Limits{Connections: 100, Exchanges: 50}, "public")
	public, _ := in.Listener("public", "api", listener)
	defer public.Close()
	server, err := node.Listen(node.Config{Socket: socket, TokenFile: token, Source: node.Source{
		Node:    "orders-1",
		Healthy: monitor.Wedged(0),
		Owner:   node.Holds(func() bool { return true }), // such as lock.Held
		Ready:   node.Tier(health, tiers.Ready),
		Ingress: in,
	}})
	fmt.Println(err)
	go http.Serve(public, in.Handler(http.NotFoundHandler()))
	go server.Serve(context.Background())
	defer server.Close()

	text, err := node.Observe(context.Background(), socket, token)
	fmt.Println(err)
	d, _ := observation.Decode(text)
	fmt.Println(d.Identity.Node, d.Result, d.Native, d.Activation, d.Capacity.Connections)
	// Output:
	// <nil>
	// <nil>
	// orders-1 succeeded {true true} {true} {0 100}
}
