package resubscribe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// seen is what one call of Subscribe did, as its caller sees it.
type seen struct {
	Results []string
	Failed  []string
	Err     string
	Handles map[string]resubscribe.Handle // of all items afterwards
}

// look subscribes and writes down what came of it.
func look(ctx context.Context, s *resubscribe.Subscriber, all, items []string) seen {
	asked := slices.Clone(items)
	results := s.Subscribe(ctx, items)
	var o seen
	for _, r := range results {
		o.Results = append(o.Results, fmt.Sprint(r.Item, " ", r.Handle, " ", r.Err))
	}
	if !slices.Equal(asked, items) {
		o.Results = append(o.Results, "the caller's items were changed")
	}
	o.Failed, o.Handles = results.Failed(), handlesOf(s, all)
	if err := results.Err(); err != nil {
		o.Err = err.Error()
	}
	return o
}

// TestBothPathsAreTheSame plays the same things on both paths and wants the same
// results, in the same order, and the same handles (S3.19).
func TestBothPathsAreTheSame(t *testing.T) {
	cases := []struct {
		name string
		play func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen
		want []seen
	}{
		{
			name: "all succeed, in the order asked for",
			play: func(t *testing.T, _ *peer, s *resubscribe.Subscriber) []seen {
				return []seen{look(t.Context(), s, []string{"a", "b"}, []string{"b", "a"})}
			},
			want: []seen{{Results: []string{"b 1 <nil>", "a 2 <nil>"}, Handles: map[string]resubscribe.Handle{"b": 1, "a": 2}}},
		},
		{
			name: "some fail and are added again, the others are kept (S3.16)",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				all := []string{"a", "b", "c"}
				p.cannotAdd["a"], p.cannotAdvise["b"] = true, true
				first := look(t.Context(), s, all, all)
				clear(p.cannotAdd)
				clear(p.cannotAdvise)
				return []seen{first, look(t.Context(), s, all, all)}
			},
			want: []seen{
				{
					Results: []string{"a 0 no such item: a", "b 0 not advised: b", "c 2 <nil>"},
					Failed:  []string{"a", "b"},
					Err:     `resubscribe: 2 of 3 items failed, the first is "a": no such item: a`,
					Handles: map[string]resubscribe.Handle{"c": 2},
				},
				{
					Results: []string{"a 3 <nil>", "b 1 <nil>", "c 2 <nil>"},
					Handles: map[string]resubscribe.Handle{"a": 3, "b": 1, "c": 2},
				},
			},
		},
		{
			name: "items that are there twice have one handle",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				p.cannotAdvise["b"] = true
				return []seen{look(t.Context(), s, []string{"a", "b"}, []string{"a", "b", "a", "b"})}
			},
			want: []seen{{
				Results: []string{"a 1 <nil>", "b 0 not advised: b", "a 1 <nil>", "b 0 not advised: b"},
				Failed:  []string{"b", "b"},
				Err:     `resubscribe: 2 of 4 items failed, the first is "b": not advised: b`,
				Handles: map[string]resubscribe.Handle{"a": 1},
			}},
		},
		{
			name: "an item that was forgotten is added again",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				all := []string{"a", "b"}
				first := look(t.Context(), s, all, all)
				s.Forget("a", "never there")
				delete(p.handles, "a")
				return []seen{first, look(t.Context(), s, all, all)}
			},
			want: []seen{
				{Results: []string{"a 1 <nil>", "b 2 <nil>"}, Handles: map[string]resubscribe.Handle{"a": 1, "b": 2}},
				{Results: []string{"a 3 <nil>", "b 2 <nil>"}, Handles: map[string]resubscribe.Handle{"a": 3, "b": 2}},
			},
		},
		{
			name: "no items are no request",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				observed := []seen{look(t.Context(), s, nil, nil), look(t.Context(), s, nil, []string{})}
				if n := p.total(); n != 0 {
					t.Errorf("%d requests for no items", n)
				}
				return observed
			},
			want: []seen{{Handles: map[string]resubscribe.Handle{}}, {Handles: map[string]resubscribe.Handle{}}},
		},
		{
			name: "the whole request fails",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				p.interrupt = func(context.Context, string, string) error { return errors.New("unavailable") }
				return []seen{look(t.Context(), s, []string{"a", "b"}, []string{"a", "b"})}
			},
			want: []seen{{
				Results: []string{"a 0 unavailable", "b 0 unavailable"},
				Failed:  []string{"a", "b"},
				Err:     `resubscribe: 2 of 2 items failed, the first is "a": unavailable`,
				Handles: map[string]resubscribe.Handle{},
			}},
		},
		{
			name: "the context has ended",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errors.New("closing time"))
				observed := []seen{look(ctx, s, []string{"a"}, []string{"a"})}
				if n := p.total(); n != 0 {
					t.Errorf("%d requests after the context had ended", n)
				}
				return observed
			},
			want: []seen{{
				Results: []string{"a 0 closing time"}, Failed: []string{"a"},
				Err:     `resubscribe: 1 of 1 items failed, the first is "a": closing time`,
				Handles: map[string]resubscribe.Handle{},
			}},
		},
		{
			name: "the context ends during the request",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				ctx, cancel := context.WithCancelCause(t.Context())
				p.interrupt = func(ctx context.Context, _, _ string) error {
					cancel(errors.New("closing time"))
					return errors.New("whatever a client says then")
				}
				return []seen{look(ctx, s, []string{"a", "b"}, []string{"a", "b"})}
			},
			want: []seen{{
				Results: []string{"a 0 closing time", "b 0 closing time"}, Failed: []string{"a", "b"},
				Err:     `resubscribe: 2 of 2 items failed, the first is "a": closing time`,
				Handles: map[string]resubscribe.Handle{},
			}},
		},
		{
			name: "the client panics once",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				p.interrupt = func(context.Context, string, string) error { panic("no connection") }
				first := look(t.Context(), s, []string{"a"}, []string{"a"})
				p.interrupt = nil
				return []seen{first, look(t.Context(), s, []string{"a"}, []string{"a"})}
			},
			want: []seen{
				{
					Results: []string{"a 0 resubscribe: the client is broken: panic: no connection"}, Failed: []string{"a"},
					Err:     `resubscribe: 1 of 1 items failed, the first is "a": resubscribe: the client is broken: panic: no connection`,
					Handles: map[string]resubscribe.Handle{},
				},
				{Results: []string{"a 1 <nil>"}, Handles: map[string]resubscribe.Handle{"a": 1}},
			},
		},
		{
			name: "the client ends its goroutine",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				p.interrupt = func(context.Context, string, string) error { runtime.Goexit(); return nil }
				return []seen{look(t.Context(), s, []string{"a"}, []string{"a"})}
			},
			want: []seen{{
				Results: []string{"a 0 resubscribe: the client is broken: the call ended its goroutine"}, Failed: []string{"a"},
				Err:     `resubscribe: 1 of 1 items failed, the first is "a": resubscribe: the client is broken: the call ended its goroutine`,
				Handles: map[string]resubscribe.Handle{},
			}},
		},
		{
			name: "the client gives an answer too few, one too many, and none",
			play: func(t *testing.T, p *peer, s *resubscribe.Subscriber) []seen {
				var observed []seen
				for _, p.miscount = range []int{-1, 1, -2} {
					observed = append(observed, look(t.Context(), s, []string{"a", "b"}, []string{"a", "b"}))
				}
				return observed
			},
			want: []seen{miscounted(1), miscounted(3), miscounted(0)},
		},
	}
	for _, c := range cases {
		for _, path := range paths {
			t.Run(c.name+"/"+path.name, func(t *testing.T) {
				p := newPeer()
				s := supervised(t, p, path.capabilities...)
				if diff := cmp.Diff(c.want, c.play(t, p, s)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				wasBatched := p.requests[requestSubscribe] > 0
				wasSingle := p.requests[requestAdd]+p.requests[requestAdvise] > 0
				if batched := s.Batched(); wasBatched && !batched || wasSingle && batched {
					t.Errorf("requests %v, batched %t", p.requests, batched)
				}
				for item, supervisory := range p.advised {
					if !supervisory {
						t.Errorf("%s was advised plainly", item)
					}
				}
			})
		}
	}
}

// miscounted is what is seen of a client with that many answers for two items.
func miscounted(answers int) seen {
	text := fmt.Sprintf("resubscribe: the client is broken: %d answers for 2 items", answers)
	return seen{
		Results: []string{"a 0 " + text, "b 0 " + text}, Failed: []string{"a", "b"},
		Err:     `resubscribe: 2 of 2 items failed, the first is "a": ` + text,
		Handles: map[string]resubscribe.Handle{},
	}
}

// TestSubscriptionOfOneItemPanics is about the path that has a request for each
// item: what one of them does is nothing to the others.
func TestSubscriptionOfOneItemPanics(t *testing.T) {
	p := newPeer()
	p.interrupt = func(_ context.Context, request, item string) error {
		switch {
		case request == requestAdvise && item == "tank-001":
			panic("half a message")
		case request == requestAdvise && item == "tank-002":
			runtime.Goexit()
		}
		return nil
	}
	results := supervised(t, p).Subscribe(t.Context(), names(20))
	if failed := results.Failed(); !slices.Equal(failed, []string{"tank-001", "tank-002"}) {
		t.Fatalf("failed %v", failed)
	}
	for _, text := range []string{results[1].Err.Error(), results[2].Err.Error()} {
		if !strings.HasPrefix(text, "resubscribe: the client is broken: ") {
			t.Error(text)
		}
	}
}
