package etcdbus

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Two clusters must not hear each other, also when one's prefix begins like the
// other's, or is below it.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	client := connect(t, startServer(t).address())
	orders := newBus(t, client, "orders/")
	s := subscribe(t, orders)
	deliver(t, orders, "one", s)
	for _, prefix := range []string{"orders2", "orders/2"} {
		if err := newBus(t, client, prefix).Publish(t.Context(), "test", []byte("of another")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Put(t.Context(), "orders/direct", "of another"); err != nil {
		t.Fatal(err)
	}
	deliver(t, newBus(t, client, "orders"), "two", s)
	if s.has("of another") {
		t.Error("a message of another cluster was heard")
	}
}

// What is stored is one record for each topic and publisher, and it does not last.
func TestRecordsAreFewAndEnd(t *testing.T) {
	t.Parallel()
	client := connect(t, startServer(t).address())
	first, second := newBus(t, client, prefixOfTests), newBus(t, client, prefixOfTests)
	s := subscribe(t, second)
	for i := range 20 {
		for _, bus := range []*Bus{first, second} {
			for _, topic := range []string{"snapshot", "probe"} {
				if err := bus.Publish(t.Context(), topic, fmt.Append(nil, i)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	stored, err := client.Get(t.Context(), "", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	if len(stored.Kvs) != 4 {
		t.Errorf("%d records of two publishers and two topics, want 4", len(stored.Kvs))
	}
	leases := map[clientv3.LeaseID]bool{}
	for _, record := range stored.Kvs {
		leases[clientv3.LeaseID(record.Lease)] = true
	}
	if len(leases) != 2 || leases[clientv3.NoLease] {
		t.Errorf("leases %v, want one of each publisher", leases)
	}
	for id := range leases {
		left, err := client.TimeToLive(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if left.GrantedTTL != 60 || left.TTL < 0 {
			t.Errorf("a lease of %d s, with %d s left, want 60", left.GrantedTTL, left.TTL)
		}
	}
	// The end of records is no message.
	for id := range leases {
		if _, err := client.Revoke(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Publish(t.Context(), "test", []byte("without its lease")); err != nil {
		t.Errorf("error %v after the end of the lease, want none", err)
	}
	deliver(t, first, "the next", s)
	if s.has("") {
		t.Error("an empty message was heard, which nobody has published")
	}
}

// The lease is another one after a third of its time, and records move to it.
func TestLeaseIsReplaced(t *testing.T) {
	t.Parallel()
	client := connect(t, startServer(t).address())
	bus := newBus(t, client, prefixOfTests)
	publish := func() int64 {
		t.Helper()
		if err := bus.Publish(t.Context(), "test", nil); err != nil {
			t.Fatal(err)
		}
		stored, err := client.Get(t.Context(), prefixOfTests, clientv3.WithPrefix())
		if err != nil || len(stored.Kvs) != 1 {
			t.Fatalf("%d records and error %v, want one", len(stored.Kvs), err)
		}
		return stored.Kvs[0].Lease
	}
	first := publish()
	if again := publish(); again != first {
		t.Error("another lease for the next message, want the same")
	}
	bus.lease.since = bus.lease.since.Add(-leaseUse)
	if later := publish(); later == first {
		t.Errorf("the same lease after %v, want another one", leaseUse)
	}
}

// A watch that was away while the engine forgot what happened goes on from then.
func TestCompaction(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	client := connect(t, server.address())
	bus := newBus(t, client, prefixOfTests)
	s := subscribe(t, bus)
	deliver(t, bus, "before", s)

	server.stop(t)
	client.SetEndpoints("127.0.0.1:1") // where nobody listens, until the store is compacted
	server.start(t)
	operator := connect(t, server.address())
	other := newBus(t, operator, prefixOfTests)
	for _, message := range []string{"forgotten", "the last"} {
		if err := other.Publish(t.Context(), "test", []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	now, err := operator.Get(t.Context(), prefixOfTests)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Compact(t.Context(), now.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	client.SetEndpoints(server.address())
	deliver(t, other, "after", s)
	if s.has("forgotten") {
		t.Error("the test did not compact what was to be told")
	}
}

// A client that is closed ends the subscription with an error.
func TestClosedClient(t *testing.T) {
	t.Parallel()
	client := connect(t, startServer(t).address())
	bus := newBus(t, client, prefixOfTests)
	s := subscribe(t, bus)
	deliver(t, bus, "before", s)
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.wantReturned(t); err == nil {
		t.Error("no error of Subscribe, want one")
	}
	if err := bus.Publish(t.Context(), "test", nil); err == nil {
		t.Error("no error of Publish, want one")
	}
}

// Without a quorum a subscription ends, since it would be silent otherwise.
func TestServersWithoutALeader(t *testing.T) {
	t.Parallel()
	peers := map[string]string{"server0": freeAddress(t), "server1": freeAddress(t)}
	var servers []*etcdServer
	for name := range peers {
		s := &etcdServer{folder: t.TempDir(), name: name, peers: peers}
		s.begin(t)
		t.Cleanup(func() { s.stop(t) })
		servers = append(servers, s)
	}
	for _, s := range servers {
		s.waitReady(t)
	}
	bus := newBus(t, connect(t, servers[0].address()), prefixOfTests)
	var s *subscriber
	until(t, "the two have a leader, and a message is heard", func() bool {
		if s == nil || len(s.returned) > 0 {
			s = subscribe(t, bus)
		}
		_ = bus.Publish(t.Context(), "test", []byte("before"))
		return s.has("before")
	})
	servers[1].server.Server.HardStop()
	if err := s.wantReturned(t); !errors.Is(err, rpctypes.ErrNoLeader) {
		t.Errorf("error %v, want %v", err, rpctypes.ErrNoLeader)
	}
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
