package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// The addresses of a pair; a is the lower one.
const (
	a = "10.0.0.1:4053"
	b = "10.0.0.2:4053"
	c = "10.0.0.3:4053"
)

// second is now in views that are made by hand: the fence is at two of them.
const second = cluster.Instant(time.Second)

// up is an Up member whose incarnation is its address.
func up(address string, age uint64, roles ...string) cluster.Member {
	return member(address, cluster.Up, age, roles...)
}

func member(address string, status cluster.Status, age uint64, roles ...string) cluster.Member {
	return cluster.Member{Key: key(address), Status: status, Age: age, Roles: roles, Reachable: true}
}

func key(address string) cluster.Key { return cluster.Key{Address: address, Incarnation: address} }

// available is a view that is valid until 2 * second.
func available(self string, members ...cluster.Member) *cluster.View {
	return &cluster.View{
		State: cluster.Available, Self: key(self), Members: members,
		ConfirmedAt: second, ValidUntil: 2 * second,
	}
}

// activeScript is a source whose node is the active one for as long as d.
func activeScript(self string, d time.Duration) *clustertest.Script {
	s := clustertest.NewScriptFollowing(clustertest.Clock{}, self)
	s.Join(self)
	s.Up(self)
	s.Confirm(d)
	return s
}

func newGate(t *testing.T, src cluster.Source, rolePreference ...string) *cluster.Gate {
	t.Helper()
	g, err := cluster.NewGate(src, rolePreference...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ask asks a check once, without a runner.
func ask(t *testing.T, c check.Checker) check.Result {
	t.Helper()
	return c.Check(t.Context())
}

// broken is a source that panics where it says so.
type broken struct {
	*clustertest.Script
	now, view, track bool
}

func (s broken) Now() cluster.Instant {
	if s.now {
		panic("now")
	}
	return s.Script.Now()
}

func (s broken) View() *cluster.View {
	if s.view {
		panic("view")
	}
	return s.Script.View()
}

func (s broken) Track() func() {
	if s.track {
		panic("track")
	}
	return s.Script.Track()
}

// ended tells whether ctx has ended.
func ended(ctx context.Context) bool { return ctx.Err() != nil }
