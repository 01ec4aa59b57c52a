package natskv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// With three replicas the end of the stream's leader loses no record and no count,
// and another server tells the list.
func TestLeaderThatEnds(t *testing.T) {
	t.Parallel()
	servers := threeServers(t)
	var all []string
	for _, s := range servers {
		all = append(all, s.address())
	}
	kv, err := New(connect(t, strings.Join(all, ",nats://")), bucketOfTests, WithReplicas(3))
	if err != nil {
		t.Fatal(err)
	}
	var revision uint64
	until(t, "a record can be made", func() bool {
		revision, err = kv.Create(t.Context(), "a.1", []byte("one"))
		return err == nil
	})
	until(t, "a record can be written", func() bool {
		later, err := kv.Update(t.Context(), "a.1", []byte("two"), revision)
		if err == nil {
			revision = later
		}
		return err == nil
	})
	info, err := kv.bucket.stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Config.Replicas != 3 {
		t.Fatalf("%d replicas, want 3", info.Config.Replicas)
	}
	dead := slices.IndexFunc(servers, func(s *natsServer) bool { return s.options.ServerName == info.Cluster.Leader })
	servers[dead].stop(t)

	var later uint64
	until(t, "a record can be written again", func() bool {
		later, err = kv.Update(t.Context(), "a.1", []byte("three"), revision)
		if errors.Is(err, casmember.ErrGone) {
			t.Fatal("the record is gone")
		}
		return err == nil || errors.Is(err, casmember.ErrConflict) // an attempt without an answer may have been done
	})
	if err == nil && later <= revision {
		t.Errorf("revision %d after %d, want a larger one", later, revision)
	}
	until(t, "the read tells the new revision", func() bool {
		got, err := kv.Get(t.Context(), "a.1")
		return err == nil && got > revision
	})
	if got := listed(t, kv); !slices.Equal(got, []string{"a.1"}) {
		t.Errorf("list %v, want a.1", got)
	}
}

// threeServers starts three servers that are one cluster.
func threeServers(t testing.TB) []*natsServer {
	t.Helper()
	var servers []*natsServer
	var routes []*url.URL
	for i := range 3 {
		host, port := freePort(t)
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("%s:%d", host, port)})
		servers = append(servers, &natsServer{options: server.Options{
			ServerName: fmt.Sprintf("server%d", i),
			Host:       host, Port: server.RANDOM_PORT,
			Cluster:   server.ClusterOpts{Name: "tests", Host: host, Port: port},
			JetStream: true, StoreDir: t.TempDir(),
			NoSigs: true, NoLog: true,
		}})
	}
	for _, s := range servers {
		s.options.Routes = routes
		s.start(t)
		t.Cleanup(func() { s.stop(t) })
	}
	until(t, "the servers have a leader", func() bool {
		return slices.ContainsFunc(servers, func(s *natsServer) bool { return s.server.JetStreamIsLeader() })
	})
	return servers
}

// freePort is where nobody listens. It is not among the ports that connections
// are given, so none takes it before the server does.
func freePort(t testing.TB) (host string, port int) {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(12000)
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = listener.Close()
			return "127.0.0.1", port
		}
	}
	t.Fatal("no free port")
	return "", 0
}
