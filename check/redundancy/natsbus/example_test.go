package natsbus_test

import (
	"context"
	"log"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/redundancy/natsbus"
)

// source is the program's casmember.Node, over natskv on the same connection.
var source cluster.Source

// A warm node. The servers need not be there when it starts.
func ExampleNew() {
	conn, err := nats.Connect("nats://10.0.0.11,nats://10.0.0.12,nats://10.0.0.13",
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(2*time.Second), nats.MaxPingsOutstanding(2),
		nats.FlusherTimeout(2*time.Second), nats.ReconnectBufSize(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	bus, err := natsbus.New(conn, "orders.warm")
	if err != nil {
		log.Fatal(err)
	}
	node, err := redundancy.New(redundancy.Config{Source: source, Bus: bus, Role: "driver"})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = node.Run(ctx) }()
	if err := node.Site(redundancy.SiteWrite).Allow(); err != nil {
		log.Print(err) // such as "not primary (role unknown)"
	}
	cancel()
}
