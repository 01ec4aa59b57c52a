package gateway_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway"
)

// The incident: two consumers of 244 items each subscribe while the gateway hangs
// for half a minute, and what happens is watched for just under 110 s, in which who sends every five
// seconds sends 22 times.
const (
	stormItems   = 244
	stormHang    = 30 * time.Second
	stormWindow  = 109 * time.Second
	stormRetry   = 5 * time.Second // of consumers without a guard
	stormCommand = 18 * time.Millisecond
	stormItem    = time.Millisecond
)

// TestEitherLeverBreaksTheLoop plays it without anything, with one lever and with
// both (S3.26).
func TestEitherLeverBreaksTheLoop(t *testing.T) {
	cases := []struct {
		name                string
		guarded             bool
		version             gateway.Version
		recovers            bool
		sends, requestsMost int // of both consumers, until they have their data
		queueMost           int
	}{
		{"nothing", false, gateway.First, false, 44, 0, 0},
		{"a guard", true, gateway.First, true, 2, 2 * (1 + stormItems), 2 * resubscribe.DefaultParallel},
		{"one request for all items", false, gateway.Newest, true, 16, 16, 16},
		{"both", true, gateway.Newest, true, 2, 2, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, connection := virtual(t, gateway.Config{Version: c.version, CommandTime: stormCommand, ItemTime: stormItem})
				server.Stall(true)
				time.AfterFunc(stormHang, func() { server.Stall(false) })
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), stormWindow)
				defer cancel()
				var sends atomic.Int64
				var ended sync.WaitGroup
				good := make(chan struct{}, 2) // has an element for each consumer with its data
				for range 2 {
					client, session, _ := subscriber(t, connection, resubscribe.SessionOptions{})
					attempt := func(ctx context.Context) error {
						sends.Add(1)
						s, err := resubscribe.NewSubscriber(session, client, resubscribe.SubscriberConfig{Supervisory: true})
						if err != nil {
							return err
						}
						return s.Subscribe(ctx, tanks(stormItems)).Err()
					}
					ended.Go(func() {
						if c.guarded {
							guarded(ctx, t, attempt, good)
						} else {
							unguarded(ctx, &ended, attempt, good)
						}
					})
				}
				var took time.Duration
				for consumers := 0; consumers < 2 && ctx.Err() == nil; {
					select {
					case <-good:
						if consumers++; consumers == 2 {
							took = time.Since(began)
						}
					case <-ctx.Done():
					}
				}
				traffic := server.Traffic()
				requests := traffic.Total() - 2 // that opened sessions
				t.Logf("%d sends, %d requests, at most %d open and %d queued, %d queued now, good after %v",
					sends.Load(), requests, traffic.PeakOpen, traffic.PeakQueued, traffic.Queued, took)
				if recovers := took > 0; recovers != c.recovers || sends.Load() != int64(c.sends) {
					t.Errorf("recovers %t, want %t; %d sends, want %d", recovers, c.recovers, sends.Load(), c.sends)
				}
				if c.recovers && (requests > c.requestsMost || traffic.PeakQueued > c.queueMost) {
					t.Errorf("%d requests, want at most %d; %d queued, want at most %d", requests, c.requestsMost, traffic.PeakQueued, c.queueMost)
				}
				cancel()
				ended.Wait()
			})
		})
	}
}

// virtual serves a gateway over a pipe, which is a network that virtual time knows.
func virtual(t *testing.T, c gateway.Config) (*gateway.Server, *grpc.ClientConn) {
	t.Helper()
	server, err := gateway.New(c)
	if err != nil {
		t.Fatal(err)
	}
	network := bufconn.Listen(1 << 16)
	serve(t, server, network)
	return server, dial(t, "passthrough:///gateway", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return network.DialContext(ctx)
	}))
}

// guarded subscribes behind a guard.
func guarded(ctx context.Context, t *testing.T, attempt func(context.Context) error, good chan<- struct{}) {
	t.Helper()
	guard, err := resubscribe.New(resubscribe.Config{Key: t.Name(), NoJitter: true})
	if err != nil {
		t.Error(err)
		return
	}
	_ = guard.Run(ctx, func(ctx context.Context, _ resubscribe.Attempt) error {
		err := attempt(ctx)
		if err == nil {
			good <- struct{}{}
		}
		return err
	})
}

// unguarded subscribes every five seconds until the newest attempt has succeeded:
// the answer to one that was followed by another is an answer to nobody.
func unguarded(ctx context.Context, ended *sync.WaitGroup, attempt func(context.Context) error, good chan<- struct{}) {
	succeeded := make(chan int)
	retry := time.NewTicker(stormRetry)
	defer retry.Stop()
	for newest := 1; ; newest++ {
		ended.Go(func() {
			if attempt(ctx) == nil {
				select {
				case succeeded <- newest:
				case <-ctx.Done():
				}
			}
		})
		for waiting := true; waiting; {
			select {
			case <-retry.C:
				waiting = false
			case which := <-succeeded:
				if which == newest {
					good <- struct{}{}
					<-ctx.Done()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
