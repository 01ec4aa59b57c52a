package natskv_test

import (
	"context"
	"log"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/check/cluster/natskv"
)

// A program that works only while it is the oldest member. The servers need not
// be there when it starts.
func ExampleNew() {
	conn, err := nats.Connect("nats://10.0.0.11,nats://10.0.0.12,nats://10.0.0.13",
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(2*time.Second), nats.MaxPingsOutstanding(2))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		log.Fatal(err)
	}
	kv, err := natskv.New(js, "members", natskv.WithReplicas(3))
	if err != nil {
		log.Fatal(err)
	}
	node, err := casmember.New(kv, casmember.Config{Address: "10.0.0.2:4053"}, casmember.WithLogger(slog.Default()))
	if err != nil {
		log.Fatal(err)
	}
	gate, err := cluster.NewGate(node)
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = node.Run(ctx) }()
	if gate.IsActive() {
		log.Print("doing the work of the active node")
	}
	cancel()
}
