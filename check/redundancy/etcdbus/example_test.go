package etcdbus_test

import (
	"context"
	"log"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/redundancy/etcdbus"
)

// source is the program's casmember.Node, over the etcd driver on the same client.
var source cluster.Source

// A warm node. The servers need not be there when it starts.
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
	bus, err := etcdbus.New(client, "orders/warm")
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
