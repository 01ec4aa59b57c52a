package prom_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
)

// crowd is a board of n processors that beat, with an exporter of it.
func crowd(tb testing.TB, n int) *prom.Exporter {
	tb.Helper()
	b := board.New(board.WithName("shop"))
	for i := range n {
		b.MustRegister(board.Spec{ID: fmt.Sprintf("processor-%06d", i)}).BeatLag(int64(i))
	}
	m, err := liveness.NewMonitor(b)
	must(tb, err)
	e, err := prom.New(otelbridge.Sources{Monitors: []*liveness.Monitor{m}})
	must(tb, err)
	return e
}

// discard is a client that takes everything at once.
type discard struct {
	header http.Header
	bytes  int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.bytes += len(p); return len(p), nil }

// seriesOf counts the series of n processors that beat with a lag.
func seriesOf(n int) int { return 12*n + 9 }

func BenchmarkHandler(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000, 100_000} {
		for _, encoding := range []string{"identity", "gzip"} {
			b.Run(fmt.Sprint(n, "/", encoding), func(b *testing.B) {
				e := crowd(b, n)
				r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
				r.Header.Set("Accept-Encoding", encoding)
				b.ReportAllocs()
				w := &discard{header: http.Header{}}
				for b.Loop() {
					clear(w.header)
					e.ServeHTTP(w, r)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(seriesOf(n)), "ns/series")
			})
		}
	}
}

func BenchmarkCollector(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			registry := prometheus.NewRegistry()
			must(b, registry.Register(crowd(b, n)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := registry.Gather()
				must(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(seriesOf(n)), "ns/series")
		})
	}
}
