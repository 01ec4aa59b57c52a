package prom_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// newGuard returns one without jitter, so that every time is known.
func newGuard(t testing.TB, key string) *resubscribe.Guard {
	t.Helper()
	g, err := resubscribe.New(resubscribe.Config{Key: key, NoJitter: true})
	must(t, err)
	return g
}

// begin begins an attempt, which has to be possible.
func begin(t testing.TB, g *resubscribe.Guard) uint64 {
	t.Helper()
	a, wait, ok := g.Begin()
	if !ok {
		t.Fatalf("%s: no attempt for %v", g.Key(), wait)
	}
	return a.ID
}

// TestGuards follows one guard through a lost request, in the order of the keys.
func TestGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, "gateway-a")
		r := newRig(t, otelbridge.Sources{Guards: []*resubscribe.Guard{newGuard(t, "gateway-b"), g}})
		for _, s := range r.both(t) {
			s.want(t, `resubscribe_in_flight{guard="gateway-a"}`, 0)
			s.want(t, `resubscribe_sends_total{guard="gateway-a"}`, 0)
			s.absent(t, "oldest_age")
		}
		begin(t, g)
		time.Sleep(45 * time.Second)
		second := begin(t, g)
		time.Sleep(1500 * time.Millisecond)
		for _, s := range r.both(t) {
			s.want(t, `resubscribe_in_flight{guard="gateway-a"}`, 1)
			s.want(t, `resubscribe_oldest_age_seconds{guard="gateway-a"}`, 1.5)
			s.want(t, `resubscribe_sends_total{guard="gateway-a"}`, 2)
			s.want(t, `resubscribe_presumed_lost_total{guard="gateway-a"}`, 1)
			s.want(t, `resubscribe_backoff_seconds{guard="gateway-a"}`, 10)
			s.want(t, `resubscribe_sends_total{guard="gateway-b"}`, 0)
			s.absent(t, `oldest_age_seconds{guard="gateway-b"}`)
		}
		g.Succeed(second)
		for _, s := range r.both(t) {
			s.want(t, `resubscribe_in_flight{guard="gateway-a"}`, 0)
			s.want(t, `resubscribe_backoff_seconds{guard="gateway-a"}`, 5)
			s.absent(t, "oldest_age")
		}
	})
}

// TestAllocationsOfGuards: many guards cost a scrape no more objects than few.
func TestAllocationsOfGuards(t *testing.T) {
	w, r := &discard{header: http.Header{}}, httptest.NewRequest(http.MethodGet, "/metrics", nil)
	scrape := func(n int) (objects float64) {
		var src otelbridge.Sources
		for i := range n {
			g := newGuard(t, fmt.Sprint(i))
			begin(t, g)
			src.Guards = append(src.Guards, g)
		}
		e := newExporter(t, src)
		objects, _ = cost(func() { clear(w.header); e.ServeHTTP(w, r) })
		return objects
	}
	if few, many := scrape(1), scrape(500); many-few > 5 {
		t.Errorf("500 guards take %v objects a scrape, one takes %v", many, few)
	}
}
