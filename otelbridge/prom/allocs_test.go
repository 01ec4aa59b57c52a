package prom_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestAllocations: a scrape by the handler allocates nothing for a series, and one
// by a registry a piece of a slab.
func TestAllocations(t *testing.T) {
	handler := func(n int) float64 {
		e := crowd(t, n)
		w := &discard{header: http.Header{}}
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		return testing.AllocsPerRun(50, func() {
			clear(w.header)
			e.ServeHTTP(w, r)
		})
	}
	collector := func(n int) float64 {
		e := crowd(t, n)
		ch := make(chan prometheus.Metric, seriesOf(n))
		return testing.AllocsPerRun(50, func() {
			e.Collect(ch)
			for len(ch) > 0 {
				<-ch
			}
		})
	}
	const more = 1990
	for name, c := range map[string]struct {
		measure func(n int) float64
		most    float64
	}{
		// What the garbage collector took out of the pools in between counts, too.
		"handler":   {handler, .05},
		"collector": {collector, .05},
	} {
		few, many := c.measure(10), c.measure(10+more)
		if each := (many - few) / float64(seriesOf(more)); each > c.most {
			t.Errorf("%s: %v allocations for a series: %v of 10 processors, %v of %d", name, each, few, many, 10+more)
		}
	}
}
