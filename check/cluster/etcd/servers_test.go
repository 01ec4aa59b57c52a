package etcd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// A node outlives the death of the leader in its life and at its age. Without a
// quorum a watch breaks, since it would be silent otherwise.
func TestLeaderThatDies(t *testing.T) {
	t.Parallel()
	servers := threeServers(t)
	var all []string
	for _, s := range servers {
		all = append(all, s.address())
	}
	node, _ := run(t, newKV(t, all...))
	until(t, "the node is active", func() bool { return cluster.Ask(node).Active })
	before := cluster.Ask(node)

	rest := kill(t, servers, func(s *etcdServer) bool { return s.server.Server.Leader() == s.server.Server.MemberID() })
	killed := node.Now()
	until(t, "the node heartbeats again", func() bool { return node.View().ConfirmedAt > killed.Add(time.Second) })
	until(t, "the node is active", func() bool { return cluster.Ask(node).Active })
	if d := cluster.Ask(node); d.Self != before.Self || d.Active && d.Token != before.Token {
		t.Errorf("active as %v with the token %d, want %v with %d as before", d.Self, d.Token, before.Self, before.Token)
	}

	last := newKV(t, rest[0].address())
	returned := make(chan error, 1)
	synced := make(chan struct{})
	go func() {
		returned <- last.Watch(context.Background(), func(e casmember.Event) {
			if e.Kind == casmember.Synced {
				close(synced)
			}
		})
	}()
	select {
	case <-synced:
	case err := <-returned:
		t.Fatal(err)
	}
	kill(t, rest, func(s *etcdServer) bool { return s != rest[0] })
	select {
	case err := <-returned:
		if !errors.Is(err, rpctypes.ErrNoLeader) {
			t.Errorf("error %v, want %v", err, rpctypes.ErrNoLeader)
		}
	case <-time.After(testLimit):
		t.Error("the watch goes on without a quorum")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := last.Get(ctx, "none.1"); err == nil || errors.Is(err, casmember.ErrGone) {
		t.Errorf("get without a quorum: error %v, want one that is not certain", err)
	}
	until(t, "the node is fenced", func() bool { return cluster.Ask(node).Reason == cluster.ReasonExpired })
}

// threeServers starts three servers that are one cluster.
func threeServers(t testing.TB) []*etcdServer {
	t.Helper()
	peers := map[string]string{}
	for i := range 3 {
		peers[fmt.Sprintf("server%d", i)] = freeAddress(t)
	}
	var servers []*etcdServer
	for name := range peers {
		servers = append(servers, &etcdServer{folder: t.TempDir(), name: name, peers: peers})
	}
	for _, s := range servers {
		s.begin(t)
		t.Cleanup(func() { s.stop(t) })
	}
	for _, s := range servers {
		s.waitReady(t)
	}
	return servers
}

// freeAddress is where nobody listens. It is not among the ports that connections
// are given, so none takes it before the server does.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000))
		if listener, err := net.Listen("tcp", address); err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("no free port")
	return ""
}

// kill ends the first server that which picks, without a handover, and returns the
// others.
func kill(t testing.TB, servers []*etcdServer, which func(*etcdServer) bool) (rest []*etcdServer) {
	t.Helper()
	var dead *etcdServer
	until(t, "the server to kill is found", func() bool {
		dead, rest = nil, nil
		for _, s := range servers {
			if dead == nil && which(s) {
				dead = s
			} else {
				rest = append(rest, s)
			}
		}
		return dead != nil
	})
	dead.server.Server.HardStop()
	return rest
}
