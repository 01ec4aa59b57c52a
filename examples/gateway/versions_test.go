package gateway_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway"
)

// versions are the two servers, and what a subscription to 244 items costs there.
var versions = []struct {
	name    string
	version gateway.Version
	want    map[string]int
}{
	{"newest", gateway.Newest, map[string]int{"OpenSession": 1, "SubscribeBulk": 1}},
	{"first", gateway.First, map[string]int{"OpenSession": 1, "AddItems": 1, "AdviseSupervisory": 244}},
}

// TestCostOnTheWire counts requests where they arrive, and commands where they are
// carried out (S3.20).
func TestCostOnTheWire(t *testing.T) {
	for _, v := range versions {
		t.Run(v.name, func(t *testing.T) {
			server, address := start(t, gateway.Config{Version: v.version})
			client, _, s := subscriber(t, dial(t, address), resubscribe.SessionOptions{})
			if err := s.Subscribe(t.Context(), tanks(244)).Err(); err != nil {
				t.Fatal(err)
			}
			traffic := server.Traffic()
			if !maps.Equal(traffic.Requests, v.want) {
				t.Errorf("requests %v, want %v", traffic.Requests, v.want)
			}
			if commands := traffic.Total() - 1; traffic.Done != commands || traffic.Queued != 0 || traffic.PeakOpen > resubscribe.DefaultParallel {
				t.Errorf("%d commands of %d, %d queued, %d requests at a time", traffic.Done, commands, traffic.Queued, traffic.PeakOpen)
			}
			allSupervised(t, server, client, 244)
			t.Logf("%d requests and %d commands for 244 items, at most %d at a time", traffic.Total()-1, traffic.Done, traffic.PeakOpen)
		})
	}
}

// allSupervised wants the session to have so many items, each supervised.
func allSupervised(t *testing.T, server *gateway.Server, client *gateway.Client, n int) {
	t.Helper()
	items := server.Items(client.Session())
	if len(items) != n {
		t.Errorf("%d items, want %d", len(items), n)
	}
	for item, kind := range items {
		if kind != gateway.Supervisory {
			t.Errorf("%s is %s", item, kind)
		}
	}
}

// TestSentBlind is why nothing is: a server of the first version takes the request,
// says that all went well, and has advised plainly (S3.18).
func TestSentBlind(t *testing.T) {
	for version, want := range map[gateway.Version]gateway.Kind{gateway.First: gateway.Plain, gateway.Newest: gateway.Supervisory} {
		server, address := start(t, gateway.Config{Version: version})
		client := gateway.NewClient(dial(t, address))
		if _, err := client.Open(t.Context(), resubscribe.DefaultCommandTimeout); err != nil {
			t.Fatal(err)
		}
		answers, err := client.Subscribe(t.Context(), []string{"a"}, true)
		if err != nil || len(answers) != 1 || answers[0].Err != nil {
			t.Fatalf("%v, %v", answers, err)
		}
		if got := server.Items(client.Session()); !maps.Equal(got, map[string]gateway.Kind{"a": want}) {
			t.Errorf("version %d: %v", version, got)
		}
	}
}

// TestRoundTrip compares results, handles and what the servers have, where some items
// fail at first: it is the same with both versions (S3.16, S3.19).
func TestRoundTrip(t *testing.T) {
	type outcome struct {
		Results []string
		Handles map[string]resubscribe.Handle
	}
	var outcomes [][]outcome
	for _, v := range versions {
		var healed atomic.Bool
		server, address := start(t, gateway.Config{Version: v.version, Fault: func(item string) (add, advise string) {
			switch {
			case healed.Load():
			case item == "tank-003":
				return "no such item", ""
			case item == "tank-004":
				return "", "not now"
			}
			return "", ""
		}})
		client, _, s := subscriber(t, dial(t, address), resubscribe.SessionOptions{})
		items := append(tanks(8), "tank-003", "tank-000")
		var seen []outcome
		for range 2 {
			o := outcome{Handles: map[string]resubscribe.Handle{}}
			for _, r := range s.Subscribe(t.Context(), items) {
				o.Results = append(o.Results, fmt.Sprint(r.Item, " ", r.Err))
				h, subscribed := s.Handle(r.Item)
				if subscribed != (r.Err == nil) || subscribed && h != r.Handle {
					t.Errorf("%s: handle %d, %t, result %+v", r.Item, h, subscribed, r)
				}
				if !healed.Load() && subscribed {
					o.Handles[r.Item] = h
				}
			}
			seen = append(seen, o)
			if !healed.Load() {
				want := map[gateway.Version]gateway.Kind{gateway.First: gateway.NotAdvised}[v.version]
				if kind := server.Items(client.Session())["tank-004"]; kind != want {
					t.Errorf("what could not be advised is %q, want %q: one request takes it back", kind, want)
				}
			}
			healed.Store(true)
		}
		allSupervised(t, server, client, 8)
		outcomes = append(outcomes, seen)
	}
	if diff := cmp.Diff(outcomes[0], outcomes[1]); diff != "" {
		t.Errorf("(-newest +first)\n%s", diff)
	}
	if want := []string{"tank-002 <nil>", "tank-003 gateway: no such item", "tank-004 gateway: not now", "tank-005 <nil>"}; !slices.Equal(outcomes[0][0].Results[2:6], want) {
		t.Errorf("%v", outcomes[0][0].Results)
	}
}

// TestRollout replaces the server under a consumer, in both directions, and a
// consumer from before the capability meets both servers (S3.22).
func TestRollout(t *testing.T) {
	var current atomic.Value // the address of the server that is there
	connection := dial(t, "passthrough:///gateway",
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1, MaxDelay: 10 * time.Millisecond}}),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", current.Load().(string))
		}))
	for i, version := range []gateway.Version{gateway.First, gateway.Newest, gateway.First} {
		server, err := gateway.New(gateway.Config{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		at, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		current.Store(at.Addr().String())
		stop := serve(t, server, at)
		awaitServer(t, connection)
		for _, consumer := range []string{"old", "new"} {
			client, session, s := subscriber(t, connection, resubscribe.SessionOptions{})
			if consumer == "old" {
				s = before(t, client)
			}
			if err := s.Subscribe(t.Context(), tanks(20)).Err(); err != nil {
				t.Errorf("server %d, %s consumer: %v", i, consumer, err)
			}
			if wanted := consumer == "new" && version == gateway.Newest; s.Batched() != wanted || session.Supports(resubscribe.BulkSupervisory) != (version == gateway.Newest) {
				t.Errorf("server %d, %s consumer: batched %t", i, consumer, s.Batched())
			}
			allSupervised(t, server, client, 20)
		}
		stop()
	}
}

// awaitServer opens sessions until one succeeds: the first may still meet the
// connection to a server that is gone.
func awaitServer(t *testing.T, connection *grpc.ClientConn) {
	t.Helper()
	for {
		_, err := gateway.NewClient(connection).Open(t.Context(), time.Minute)
		if err == nil {
			return
		}
		if status.Code(err) != codes.Unavailable {
			t.Fatal(err)
		}
	}
}

// before is what a consumer had that knew no capabilities.
func before(t *testing.T, client *gateway.Client) *resubscribe.Subscriber {
	t.Helper()
	none, err := resubscribe.OpenSession(t.Context(), resubscribe.SessionOptions{},
		func(context.Context, time.Duration) (resubscribe.Opened, error) { return resubscribe.Opened{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	s, err := resubscribe.NewSubscriber(none, client, resubscribe.SubscriberConfig{Supervisory: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
