package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// The gate and the check of the active tier are two questions about one source. The
// source here is a script; in a service it is a casmember.Node over a driver.
func Example() {
	src := clustertest.NewScript("10.0.0.1:4053")
	gate, err := cluster.NewGate(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	active := cluster.Active(src, cluster.ActivePolicy{})
	show := func(what string) {
		r := active.Check(context.Background())
		fmt.Printf("%s: gate %v, check %v, active node %v\n", what, gate.IsActive(), r.Status, r.Data["activeNode"])
	}

	show("starting")
	src.Join("10.0.0.2:4053")
	src.Up("10.0.0.2:4053")
	src.Join("10.0.0.1:4053")
	src.Up("10.0.0.1:4053")
	src.Confirm(12 * time.Second)
	show("second to come")
	src.Remove("10.0.0.2:4053")
	show("the first has gone")
	src.Expire()
	show("the engine is lost")
	// Output:
	// starting: gate false, check Degraded, active node <nil>
	// second to come: gate false, check Unhealthy, active node 10.0.0.2:4053
	// the first has gone: gate true, check Healthy, active node 10.0.0.1:4053
	// the engine is lost: gate false, check Unhealthy, active node <nil>
}

// A write carries its token, and the resource refuses one that is too old.
func ExampleGate_Acquire() {
	src := clustertest.NewScript("10.0.0.1:4053")
	src.Join("10.0.0.1:4053")
	src.Up("10.0.0.1:4053")
	src.Confirm(12 * time.Second)
	gate, err := cluster.NewGate(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	write := func() error {
		ctx, release, err := gate.Acquire(context.Background())
		if err != nil {
			return err
		}
		defer release()
		token, _ := cluster.Token(ctx)
		fmt.Println("UPDATE device SET value = 1, token =", token, "WHERE token <=", token)
		return nil
	}

	fmt.Println(write())
	src.SetStatus("10.0.0.1:4053", cluster.Leaving)
	err = write()
	fmt.Println(err, errors.Is(err, cluster.ErrNotActive))
	// Output:
	// UPDATE device SET value = 1, token = 1 WHERE token <= 1
	// <nil>
	// cluster: not active: no_member true
}

// A node that works alone says so, and everything that asks about a cluster serves.
func ExampleStandalone() {
	src, err := cluster.Standalone("10.0.0.1:4053")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := cluster.Active(src, cluster.ActivePolicy{}).Check(context.Background())
	fmt.Println(r.Status, r.Description)
	// Output: Healthy not clustered
}

// Two nodes that only have each other: when the oldest crashes, its survivor stops.
func ExampleKeepOldest() {
	survivor := cluster.SplitView{OldestHere: false, Here: 1, There: 1}
	fmt.Println(cluster.KeepOldest(survivor, true))
	// Output: down_self
}

// An own policy is a table; what it does not name is Unhealthy.
func ExampleStatusPolicy() {
	policy := cluster.DefaultPolicy()
	policy.Unreachable = cluster.StatusTable{} // a node that its cluster cannot reach is not ready
	src := clustertest.NewScript("10.0.0.1:4053")
	src.Join("10.0.0.1:4053")
	src.Up("10.0.0.1:4053")
	src.Confirm(12 * time.Second)
	membership := cluster.Membership(src, policy)

	fmt.Println(membership.Check(context.Background()).Status)
	src.SetReachable("10.0.0.1:4053", false)
	r := membership.Check(context.Background())
	fmt.Println(r.Status, r.Description)
	// Output:
	// Healthy
	// Unhealthy Member status: Up
}
