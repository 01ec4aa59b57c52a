package redundancy_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/tiers"
)

// The nodes of a pair.
const (
	nodeA = "10.0.0.1:4053"
	nodeB = "10.0.0.2:4053"
)

// serviceLevel stands for the variable of an OPC UA server.
type serviceLevel chan uint8

func (s serviceLevel) PublishServiceLevel(level uint8) error {
	s <- level
	return nil
}

// until returns when the variable has the value.
func (s serviceLevel) until(level uint8) {
	for got := range s {
		if got == level {
			return
		}
	}
}

// The level is a pure function of what a node knows.
func ExampleLevel() {
	in := redundancy.Inputs{
		Status: cluster.Up, HasRole: true, Role: redundancy.Primary, Active: true,
		Database: redundancy.Reachable, DatabaseAge: time.Second,
		Snapshot: true, SnapshotAge: time.Second,
	}
	fmt.Println("active:", redundancy.Level(in))
	in.Role, in.Active = redundancy.Secondary, false
	fmt.Println("follower:", redundancy.Level(in))
	in.SnapshotAge = 31 * time.Second
	fmt.Println("stale:", redundancy.Level(in))
	in.Database = redundancy.Unreachable
	fmt.Println("critical:", redundancy.Level(in))
	in.Status = cluster.Leaving
	fmt.Println("leaving:", redundancy.Level(in))
	// Output:
	// active: 250
	// follower: 240
	// stale: 200
	// critical: 100
	// leaving: 0
}

// A node that works alone is the primary. Its level is 0 again when it stops.
func ExampleNode() {
	node, err := redundancy.New(redundancy.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	variable := make(serviceLevel, 8)
	node.Bind(variable)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- node.Run(ctx) }()

	fmt.Println("runs:", <-variable, node.Role())
	stop()
	fmt.Println("stopped:", <-variable, <-ended)
	// Output:
	// runs: 250 primary
	// stopped: 0 <nil>
}

// Two nodes over one bus. The sources here are scripts; in a service each is a
// casmember.Node, and the bus is one of etcdbus or natsbus.
func ExampleNode_pair() {
	bus := redundancy.NewLocalBus()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	start := func(self string) (*redundancy.Node, *clustertest.Script, serviceLevel) {
		src := clustertest.NewScript(self)
		for _, address := range []string{nodeA, nodeB} {
			src.Join(address, "driver")
			src.Up(address)
		}
		src.Confirm(12 * time.Second)
		node, err := redundancy.New(redundancy.Config{
			Source: src, Bus: bus, Role: "driver",
			Prober: func(context.Context, cluster.Member) error { return nil },
		})
		if err != nil {
			panic(err)
		}
		variable := make(serviceLevel, 8)
		node.Bind(variable)
		go func() { ended <- node.Run(ctx) }()
		return node, src, variable
	}
	a, _, levelOfA := start(nodeA)
	b, viewOfB, levelOfB := start(nodeB)

	levelOfA.until(250)
	levelOfB.until(240)
	fmt.Println("A:", a.Role(), a.ServiceLevel())
	fmt.Println("B:", b.Role(), b.ServiceLevel())
	viewOfB.Remove(nodeA)
	levelOfB.until(250)
	fmt.Println("B without A:", b.Role(), b.ServiceLevel())
	stop()
	fmt.Println(errors.Join(<-ended, <-ended))
	// Output:
	// A: primary 250
	// B: secondary 240
	// B without A: primary 250
	// <nil>
}

// A site is a gate for HTTP. Its clients are told why they were refused, and by whom
// they will not be.
func ExampleSite() {
	src := clustertest.NewScript(nodeB)
	for _, address := range []string{nodeA, nodeB} {
		src.Join(address, "driver")
		src.Up(address)
	}
	src.Confirm(12 * time.Second)
	node, err := redundancy.New(redundancy.Config{Source: src, Bus: redundancy.NewLocalBus(), Role: "driver"})
	if err != nil {
		fmt.Println(err)
		return
	}
	write := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux := http.NewServeMux()
	mux.Handle("POST /write", tiers.RequireActive(node.Site(redundancy.SiteWrite), write))

	// No snapshot has come yet, and there is a peer.
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("POST", "/write", nil))
	fmt.Println(answer.Code, answer.Body)
	// Output:
	// 503 {"status":"Unhealthy","error":"not primary (role unknown)","activeNode":"10.0.0.1:4053"}
}

// A write that is not served over HTTP asks the site itself. It carries the token
// that the device refuses when it is too old, and a denied one is not queued.
func ExampleSite_Acquire() {
	src := clustertest.NewScript(nodeA)
	src.Join(nodeA, "driver")
	src.Up(nodeA)
	src.Confirm(12 * time.Second)
	node, err := redundancy.New(redundancy.Config{Source: src, Bus: redundancy.NewLocalBus(), Role: "driver"})
	if err != nil {
		fmt.Println(err)
		return
	}
	write := func(value int) error {
		ctx, release, err := node.Site(redundancy.SiteWrite).Acquire(context.Background())
		if err != nil {
			return err
		}
		defer release()
		token, _ := cluster.Token(ctx)
		fmt.Println("device: value", value, "token", token)
		return nil
	}

	fmt.Println(write(1)) // the only driver serves before the first snapshot
	src.Join(nodeB, "driver")
	src.Up(nodeB)
	err = write(2)
	var denied *redundancy.DeniedError
	fmt.Println(err, errors.As(err, &denied), denied.Denial)
	// Output:
	// device: value 1 token 1
	// <nil>
	// redundancy: write: not primary (role unknown) true role-unknown
}
