package resubscribe_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// TestNewestCallDecides overtakes a call, whose answers then change no handle, be
// they good or bad (S3.9).
func TestNewestCallDecides(t *testing.T) {
	for _, path := range paths {
		for _, overtake := range []string{"by a call", "by a call that fails", "by Forget"} {
			t.Run(path.name+"/"+overtake, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPeer()
					p.interrupt = func(context.Context, string, string) error {
						time.Sleep(time.Minute)
						return nil
					}
					s := supervised(t, p, path.capabilities...)
					var slow resubscribe.Results
					go func() { slow = s.Subscribe(t.Context(), []string{"a", "b"}) }()
					synctest.Wait()
					p.change(func() { p.interrupt = nil })
					want := map[string]resubscribe.Handle{"b": 2}
					switch overtake {
					case "by a call":
						p.change(func() { p.handles["a"], p.next = 7, 1 })
						want["a"] = 7
						if err := s.Subscribe(t.Context(), []string{"a"}).Err(); err != nil {
							t.Fatal(err)
						}
						p.change(func() { p.handles["a"] = 8 })
					case "by a call that fails":
						p.change(func() { p.cannotAdd["a"] = true })
						if s.Subscribe(t.Context(), []string{"a"}).Err() == nil {
							t.Fatal("no error")
						}
						p.change(func() { clear(p.cannotAdd) })
					case "by Forget":
						s.Forget("a")
					}
					time.Sleep(time.Hour)
					synctest.Wait()
					if err := slow.Err(); err != nil {
						t.Errorf("the slow call: %v", err)
					}
					if diff := cmp.Diff(want, handlesOf(s, []string{"a", "b"})); diff != "" {
						t.Errorf("(-want +got)\n%s", diff)
					}
				})
			})
		}
	}
}

// TestRandomPlays plays the same random faults and requests on both paths, and
// compares results and handles. Afterwards the handles are those of the items that
// succeeded last.
func TestRandomPlays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := names(6)
		some := rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID[string])
		peers := []*peer{newPeer(), newPeer()}
		subscribers := []*resubscribe.Subscriber{
			supervised(t, peers[0], paths[0].capabilities...),
			supervised(t, peers[1], paths[1].capabilities...),
		}
		model := map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			addFails, adviseFails := some.Draw(r, "cannot add"), some.Draw(r, "cannot advise")
			forgotten := some.Draw(r, "forgotten")
			items := rapid.SliceOfN(rapid.SampledFrom(all), 0, 9).Draw(r, "items")
			var got [2]seen
			for i, s := range subscribers {
				clear(peers[i].cannotAdd)
				clear(peers[i].cannotAdvise)
				for _, item := range addFails {
					peers[i].cannotAdd[item] = true
				}
				for _, item := range adviseFails {
					peers[i].cannotAdvise[item] = true
				}
				s.Forget(forgotten...)
				got[i] = look(t.Context(), s, all, items)
			}
			if diff := cmp.Diff(got[0], got[1]); diff != "" {
				r.Fatalf("(-%s +%s)\n%s", paths[0].name, paths[1].name, diff)
			}
			for _, item := range forgotten {
				delete(model, item)
			}
			for _, item := range items {
				if !slices.Contains(addFails, item) && !slices.Contains(adviseFails, item) {
					model[item] = true
				}
			}
			if have := slices.Sorted(maps.Keys(got[0].Handles)); !slices.Equal(have, slices.Sorted(maps.Keys(model))) {
				r.Fatalf("handles of %v, want %v", have, model)
			}
		}
	})
}

// TestSubscriberIsRefused names what is wrong.
func TestSubscriberIsRefused(t *testing.T) {
	session := agreed(t)
	cases := []struct {
		session *resubscribe.Session
		client  resubscribe.Client
		c       resubscribe.SubscriberConfig
		want    string
	}{
		{nil, newPeer(), resubscribe.SubscriberConfig{}, "resubscribe: session nil: must be set"},
		{session, nil, resubscribe.SubscriberConfig{}, "resubscribe: client nil: must be set"},
		{session, (*peer)(nil), resubscribe.SubscriberConfig{}, "resubscribe: client nil: must be set"},
		{session, newPeer(), resubscribe.SubscriberConfig{Parallel: -1}, "resubscribe: parallel -1: must be at least 1"},
	}
	for _, c := range cases {
		if s, err := resubscribe.NewSubscriber(c.session, c.client, c.c); s != nil || err == nil || err.Error() != c.want {
			t.Errorf("%v, %v, want %s", s, err, c.want)
		}
	}
}

// TestNoSubscriber is about the nil and the zero one.
func TestNoSubscriber(t *testing.T) {
	for _, s := range []*resubscribe.Subscriber{nil, {}} {
		results := s.Subscribe(t.Context(), []string{"a", "b"})
		if len(results) != 2 || len(results.Failed()) != 2 || !strings.Contains(fmt.Sprint(results.Err()), "must be made by NewSubscriber") {
			t.Errorf("%v", results)
		}
		if h, subscribed := s.Handle("a"); h != 0 || subscribed {
			t.Errorf("handle %d", h)
		}
		s.Forget("a")
		if s.Batched() {
			t.Error("batched")
		}
		if err := s.Subscribe(t.Context(), nil).Err(); err != nil {
			t.Errorf("no items: %v", err)
		}
	}
}

// TestErrorsAreFound finds an item's error through that of all.
func TestErrorsAreFound(t *testing.T) {
	p := newPeer()
	p.cannotAdd["b"] = true
	if err := supervised(t, p).Subscribe(t.Context(), []string{"a", "b"}).Err(); !errors.Is(err, errNoSuchItem) {
		t.Error(err)
	}
}
