package prom_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// cost is the least that a run of f allocates once its pools are filled: the
// garbage collector, and the race detector, take something out of the pools in
// between.
func cost(f func()) (objects, bytes float64) {
	objects, bytes = math.Inf(1), math.Inf(1)
	var before, after runtime.MemStats
	for range 30 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		objects = min(objects, float64(after.Mallocs-before.Mallocs))
		bytes = min(bytes, float64(after.TotalAlloc-before.TotalAlloc))
	}
	return objects, bytes
}

// TestAllocations: a scrape by the handler allocates nothing for a series, and one
// by a registry pieces of slabs.
func TestAllocations(t *testing.T) {
	handler := func(n int) func() {
		e := crowd(t, n)
		w := &discard{header: http.Header{}}
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		return func() {
			clear(w.header)
			e.ServeHTTP(w, r)
		}
	}
	collector := func(n int) func() {
		e := crowd(t, n)
		ch := make(chan prometheus.Metric, 2*seriesOf(n))
		return func() {
			e.Collect(ch)
			for len(ch) > 0 {
				<-ch
			}
		}
	}
	const few, many = 10, 2000
	for name, c := range map[string]struct {
		scrape         func(n int) func()
		objects, bytes float64 // for a series
	}{
		"handler":   {handler, .01, 5},
		"collector": {collector, .05, 200},
	} {
		fewObjects, fewBytes := cost(c.scrape(few))
		manyObjects, manyBytes := cost(c.scrape(many))
		series := float64(seriesOf(many) - seriesOf(few))
		objects, bytes := (manyObjects-fewObjects)/series, (manyBytes-fewBytes)/series
		if objects > c.objects || bytes > c.bytes {
			t.Errorf("%s: %.3f objects and %.1f bytes for a series", name, objects, bytes)
		}
	}
}

// TestAllocationsOfRedundancy: the state of a node is some slices, and what it says
// was prepared before; that is a fixed amount for a scrape.
func TestAllocationsOfRedundancy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newWarm(t, redundancy.Config{})
		time.Sleep(time.Second)
		w, r := &discard{header: http.Header{}}, httptest.NewRequest(http.MethodGet, "/metrics", nil)
		scrape := func(src otelbridge.Sources) (objects float64) {
			e := newExporter(t, src)
			objects, _ = cost(func() { clear(w.header); e.ServeHTTP(w, r) })
			return objects
		}
		without := scrape(otelbridge.Sources{Tiers: tiers.New()})
		with := scrape(otelbridge.Sources{Redundancy: node.Node})
		if extra := with - without; extra > 30 {
			t.Errorf("a node with one peer takes %v objects a scrape", extra)
		}
	})
}

// TestCompressorsAreKept: each takes most of a megabyte.
func TestCompressorsAreKept(t *testing.T) {
	e := crowd(t, 20)
	w := &discard{header: http.Header{}}
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	_, bytes := cost(func() { clear(w.header); e.ServeHTTP(w, r) })
	if w.header.Get("Content-Encoding") != "gzip" {
		t.Fatal("not compressed")
	}
	if bytes > 64<<10 {
		t.Errorf("a scrape of 20 processors allocates %.0f bytes", bytes)
	}
}
