package etcd_test

import (
	"context"
	"log"
	"log/slog"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/check/cluster/etcd"
)

// A program that works only while it is the oldest member. The servers need not
// be there when it starts.
func ExampleNew() {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            []string{"http://10.0.0.11:2379", "http://10.0.0.12:2379", "http://10.0.0.13:2379"},
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 5 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	kv, err := etcd.New(client, "orders/members")
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
