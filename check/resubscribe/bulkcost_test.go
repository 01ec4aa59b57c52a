package resubscribe_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// TestCostOfASubscription counts requests: one, or one and one more for each item
// (S3.20).
func TestCostOfASubscription(t *testing.T) {
	cases := []struct {
		name         string
		supervisory  bool
		capabilities []string
		want         map[string]int
	}{
		{"supervised by a peer that names it", true, []string{resubscribe.BulkSupervisory}, map[string]int{requestSubscribe: 1}},
		{"supervised by a peer that does not", true, nil, map[string]int{requestAdd: 1, requestAdvise: 244}},
		{"plain, by a peer that names it", false, []string{resubscribe.BulkSupervisory}, map[string]int{requestSubscribe: 1}},
		{"plain, by a peer that does not", false, nil, map[string]int{requestSubscribe: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer()
			s, err := resubscribe.NewSubscriber(agreed(t, c.capabilities...), p, resubscribe.SubscriberConfig{Supervisory: c.supervisory})
			if err != nil {
				t.Fatal(err)
			}
			items := names(244)
			if err := s.Subscribe(t.Context(), items).Err(); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(p.requests, c.want) {
				t.Errorf("requests %v, want %v", p.requests, c.want)
			}
			for _, item := range items {
				if supervisory, advised := p.advised[item]; !advised || supervisory != c.supervisory {
					t.Fatalf("%s: advised %t, supervised %t", item, advised, supervisory)
				}
			}
			before := p.total()
			if err := s.Subscribe(t.Context(), items).Err(); err != nil || p.total() != before {
				t.Errorf("what is subscribed cost %d more requests, %v", p.total()-before, err)
			}
		})
	}
}

// TestCostOfARetry counts the requests for the items that failed.
func TestCostOfARetry(t *testing.T) {
	for _, path := range paths {
		t.Run(path.name, func(t *testing.T) {
			p := newPeer()
			p.cannotAdvise["tank-003"], p.cannotAdd["tank-007"] = true, true
			s := supervised(t, p, path.capabilities...)
			if failed := s.Subscribe(t.Context(), names(244)).Failed(); len(failed) != 2 {
				t.Fatalf("failed %v", failed)
			}
			if !s.Batched() && p.requests[requestAdvise] != 243 {
				t.Errorf("requests %v: what could not be added was advised", p.requests)
			}
			clear(p.requests)
			clear(p.cannotAdvise)
			clear(p.cannotAdd)
			if err := s.Subscribe(t.Context(), names(244)).Err(); err != nil {
				t.Fatal(err)
			}
			want := map[string]int{requestAdd: 1, requestAdvise: 2}
			if s.Batched() {
				want = map[string]int{requestSubscribe: 1}
			}
			if !maps.Equal(p.requests, want) {
				t.Errorf("requests %v, want %v", p.requests, want)
			}
		})
	}
}

// TestItemsAreSentOnce counts the items of requests, some of which are asked for
// more than once.
func TestItemsAreSentOnce(t *testing.T) {
	for _, path := range paths {
		t.Run(path.name, func(t *testing.T) {
			p := newPeer()
			s := supervised(t, p, path.capabilities...)
			if err := s.Subscribe(t.Context(), []string{"b", "a", "b", "a", "b"}).Err(); err != nil {
				t.Fatal(err)
			}
			if err := s.Subscribe(t.Context(), []string{"a", "c", "b"}).Err(); err != nil {
				t.Fatal(err)
			}
			if want := []string{"b", "a", "c"}; !slices.Equal(p.sent, want) || p.requests[requestAdvise]%3 != 0 {
				t.Errorf("sent %v, want %v; requests %v", p.sent, want, p.requests)
			}
		})
	}
}

// TestCapabilityIsExact names what is not the capability: none of these may lead to
// a request that such a peer would misunderstand (S3.18).
func TestCapabilityIsExact(t *testing.T) {
	for _, named := range []string{
		"", "bulk-subscribe", "bulk-subscribe-commands", "bulk-subscribe-supervisory2", "bulk-subscribe-supervisory ",
		" bulk-subscribe-supervisory", "Bulk-Subscribe-Supervisory", "bulk_subscribe_supervisory",
		"bulk-subscribe-supervisory,unary-invoke", "gateway-protocol-99",
	} {
		p := newPeer()
		s := supervised(t, p, named)
		if err := s.Subscribe(t.Context(), names(2)).Err(); err != nil {
			t.Fatal(err)
		}
		if s.Batched() || p.requests[requestSubscribe] != 0 {
			t.Errorf("capability %q: batched %t, requests %v", named, s.Batched(), p.requests)
		}
	}
}

// TestCapabilityOfAnotherName shows that the name is the peer's choice.
func TestCapabilityOfAnotherName(t *testing.T) {
	c := resubscribe.SubscriberConfig{Supervisory: true, Capability: "monitored-items-in-one-call"}
	for named, batched := range map[string]bool{c.Capability: true, resubscribe.BulkSupervisory: false} {
		s, err := resubscribe.NewSubscriber(agreed(t, named), newPeer(), c)
		if err != nil || s.Batched() != batched {
			t.Errorf("%q: batched %t, %v", named, s.Batched(), err)
		}
	}
}

// TestParallelRequestsAreBounded counts the requests under way, of one call and of
// two at a time.
func TestParallelRequestsAreBounded(t *testing.T) {
	for parallel, want := range map[int]int{0: 16, 1: 1, 3: 3} {
		for calls := 1; calls <= 2; calls++ {
			synctest.Test(t, func(t *testing.T) {
				p := newPeer()
				p.interrupt = func(context.Context, string, string) error {
					time.Sleep(time.Second)
					return nil
				}
				s, err := resubscribe.NewSubscriber(agreed(t), p, resubscribe.SubscriberConfig{Supervisory: true, Parallel: parallel})
				if err != nil {
					t.Fatal(err)
				}
				for call := range calls {
					go s.Subscribe(t.Context(), names(48)[call*24:][:24])
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if p.peak != want || p.open != 0 {
					t.Errorf("parallel %d, %d calls: %d requests at a time, %d left", parallel, calls, p.peak, p.open)
				}
			})
		}
	}
}

// TestClientThatStays is about one that does not return when its context ends: the
// caller is let go, and however often it tries, no more requests stay than may be
// under way.
func TestClientThatStays(t *testing.T) {
	for _, path := range paths {
		t.Run(path.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				p := newPeer()
				p.interrupt = func(_ context.Context, request, _ string) error {
					if request != requestAdd {
						<-release
					}
					return nil
				}
				s := supervised(t, p, path.capabilities...)
				for range 40 {
					began := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					err := s.Subscribe(ctx, names(244)).Err()
					cancel()
					if took := time.Since(began); took != time.Second || !errors.Is(err, context.DeadlineExceeded) {
						t.Fatalf("%v after %v", err, took)
					}
				}
				synctest.Wait()
				if p.open != resubscribe.DefaultParallel {
					t.Errorf("%d requests stay", p.open)
				}
				close(release)
				synctest.Wait()
				if _, subscribed := s.Handle("tank-000"); subscribed {
					t.Error("what was answered too late counts")
				}
				if err := s.Subscribe(t.Context(), names(244)).Err(); err != nil {
					t.Errorf("the slots are not free again: %v", err)
				}
			})
		})
	}
}

// TestContextEndsHalfway keeps what was subscribed by then.
func TestContextEndsHalfway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer()
		p.interrupt = func(ctx context.Context, request, _ string) error {
			if request != requestAdvise {
				return nil
			}
			select {
			case <-ctx.Done():
				return errors.New("whatever a client says then")
			case <-time.After(time.Second):
				return nil
			}
		}
		s := supervised(t, p)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		results := s.Subscribe(ctx, names(100))
		for i, r := range results {
			_, subscribed := s.Handle(r.Item)
			if want := i < 32; subscribed != want || want != (r.Err == nil) || !want && !errors.Is(r.Err, context.DeadlineExceeded) {
				t.Errorf("%s: handle %t, %v", r.Item, subscribed, r.Err)
			}
		}
		synctest.Wait() // for the calls that were told to end
		p.interrupt = nil
		before := p.total()
		if err := s.Subscribe(t.Context(), names(100)).Err(); err != nil || p.total() != before+1+68 {
			t.Errorf("%d requests for the other 68, %v", p.total()-before, err)
		}
	})
}
