package gateway_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway"
)

// TestCommandTimeoutOfASession asks for one, gets it or less, and is held to it
// (S3.23, S3.24).
func TestCommandTimeoutOfASession(t *testing.T) {
	cases := []struct {
		name        string
		config      gateway.Config
		asked, want time.Duration
		warns       bool
	}{
		{"the default", gateway.Config{}, 0, time.Minute, false},
		{"of the consumer's choice", gateway.Config{}, 50 * time.Millisecond, 50 * time.Millisecond, false},
		{"a gateway that gives less", gateway.Config{MaxCommandTimeout: 40 * time.Millisecond}, time.Hour, 40 * time.Millisecond, true},
		{"at its limit", gateway.Config{MaxCommandTimeout: 40 * time.Millisecond}, 40 * time.Millisecond, 40 * time.Millisecond, false},
	}
	for _, version := range []gateway.Version{gateway.Newest, gateway.First} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				c.config.Version = version
				server, address := start(t, c.config)
				var log lines
				_, session, s := subscriber(t, dial(t, address), resubscribe.SessionOptions{CommandTimeout: c.asked, Logger: log.logger()})
				asked, told := session.CommandTimeout()
				if want := max(c.asked, time.Duration(0)); want != 0 && asked != want || told != c.want {
					t.Errorf("asked %v, told %v", asked, told)
				}
				if got := log.read(); len(got) != 1 || strings.HasPrefix(got[0], "WARN") != c.warns {
					t.Errorf("logged %q", got)
				}
				if c.want > time.Second {
					return
				}
				server.Stall(true)
				err := s.Subscribe(t.Context(), tanks(3)).Err()
				if status.Code(errors.Unwrap(err)) != codes.DeadlineExceeded || !strings.Contains(err.Error(), c.want.String()) {
					t.Errorf("during a stall: %v", err)
				}
				if queued := server.Traffic().Queued; queued != 1 {
					t.Errorf("%d commands queued: the consumer gave up, the worker cannot", queued)
				}
				server.Stall(false)
			})
		}
	}
}

// TestGatewayOfItsOwnLimit is about a session that asks for none, and for nonsense.
func TestGatewayOfItsOwnLimit(t *testing.T) {
	_, address := start(t, gateway.Config{})
	client := gateway.NewClient(dial(t, address))
	for _, asked := range []time.Duration{0, -time.Second} {
		if _, err := client.Open(t.Context(), asked); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", asked, err)
		}
	}
}

// TestNoSession is about requests of a session that is closed or never was.
func TestNoSession(t *testing.T) {
	_, address := start(t, gateway.Config{})
	connection := dial(t, address)
	closed, _, _ := subscriber(t, connection, resubscribe.SessionOptions{})
	if err := closed.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, client := range []*gateway.Client{gateway.NewClient(connection), closed} {
		_, added := client.Add(t.Context(), tanks(1))
		_, subscribed := client.Subscribe(t.Context(), tanks(1), true)
		for _, err := range []error{
			added, subscribed, client.AdviseSupervisory(t.Context(), 1),
			client.Watch(t.Context(), func(resubscribe.Handle, float64) {}),
		} {
			if status.Code(err) != codes.NotFound {
				t.Error(err)
			}
		}
	}
}

// TestChangesOfAllItems waits until every item has brought one, with both versions,
// and during the command that subscribes to them.
func TestChangesOfAllItems(t *testing.T) {
	for _, v := range versions {
		t.Run(v.name, func(t *testing.T) {
			server, address := start(t, gateway.Config{Version: v.version})
			client, _, s := subscriber(t, dial(t, address), resubscribe.SessionOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			good := make(chan resubscribe.Handle)
			var watched sync.WaitGroup
			watched.Go(func() {
				err := client.Watch(ctx, func(h resubscribe.Handle, _ float64) { good <- h })
				if status.Code(err) != codes.Canceled {
					t.Errorf("the stream ended with %v", err)
				}
			})
			results := s.Subscribe(t.Context(), tanks(60))
			missing := make(map[resubscribe.Handle]bool)
			for _, r := range results {
				missing[r.Handle] = true
			}
			if len(missing) != 60 || results.Err() != nil {
				t.Fatalf("%d handles, %v", len(missing), results.Err())
			}
			for len(missing) > 0 {
				delete(missing, <-good)
			}
			cancel()
			watched.Wait()
			allSupervised(t, server, client, 60)
		})
	}
}

// TestConfigIsRefused names what is wrong.
func TestConfigIsRefused(t *testing.T) {
	for text, c := range map[string]gateway.Config{
		"gateway: command time -1ns: must not be negative":        {CommandTime: -1},
		"gateway: item time -1ns: must not be negative":           {ItemTime: -1},
		"gateway: command timeout -1ns: must not be negative":     {CommandTimeout: -1},
		"gateway: max command timeout -1ns: must not be negative": {MaxCommandTimeout: -1},
	} {
		if _, err := gateway.New(c); err == nil || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// TestVirtualTime runs the server and its clients, gRPC and all, where time is free:
// a pipe is the network.
func TestVirtualTime(t *testing.T) {
	for _, v := range versions {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, connection := virtual(t, gateway.Config{Version: v.version, CommandTime: 20 * time.Millisecond, ItemTime: time.Millisecond})
				_, _, s := subscriber(t, connection, resubscribe.SessionOptions{})
				began := time.Now()
				if err := s.Subscribe(t.Context(), tanks(244)).Err(); err != nil {
					t.Fatal(err)
				}
				want := 20*time.Millisecond + 2*244*time.Millisecond
				if v.version == gateway.First {
					want += 244 * 20 * time.Millisecond
				}
				if took := time.Since(began); took != want {
					t.Errorf("244 items took %v, want %v", took, want)
				}
			})
		})
	}
}

// TestAddedTwice is about a request that is repeated because its answer was lost.
func TestAddedTwice(t *testing.T) {
	server, address := start(t, gateway.Config{})
	client, _, s := subscriber(t, dial(t, address), resubscribe.SessionOptions{})
	if err := s.Subscribe(t.Context(), tanks(2)).Err(); err != nil {
		t.Fatal(err)
	}
	added, err := client.Add(t.Context(), tanks(3))
	if want := []resubscribe.Added{{Handle: 1}, {Handle: 2}, {Handle: 3}}; err != nil || !slices.Equal(added, want) {
		t.Errorf("%v, %v", added, err)
	}
	want := map[string]gateway.Kind{"tank-000": gateway.Supervisory, "tank-001": gateway.Supervisory, "tank-002": gateway.NotAdvised}
	if items := server.Items(client.Session()); !maps.Equal(items, want) {
		t.Errorf("%v", items)
	}
}

// TestSameItemsEverywhere is about two sessions, whose handles are their own.
func TestSameItemsEverywhere(t *testing.T) {
	server, address := start(t, gateway.Config{})
	connection := dial(t, address)
	a, _, first := subscriber(t, connection, resubscribe.SessionOptions{})
	b, _, second := subscriber(t, connection, resubscribe.SessionOptions{})
	items := tanks(3)
	slices.Reverse(items)
	if err := errors.Join(first.Subscribe(t.Context(), tanks(3)).Err(), second.Subscribe(t.Context(), items).Err()); err != nil {
		t.Fatal(err)
	}
	if h, _ := first.Handle("tank-000"); h != 1 {
		t.Errorf("handle %d", h)
	}
	if h, _ := second.Handle("tank-000"); h != 3 {
		t.Errorf("handle %d", h)
	}
	allSupervised(t, server, a, 3)
	allSupervised(t, server, b, 3)
}
