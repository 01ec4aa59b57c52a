package tiers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// thousand is a report of 1000 entries, whole: it is longer than a body may be,
// so the benchmarks of the encoder take it in parts.
func thousand() []tiers.Report {
	reports := make([]tiers.Report, 4)
	for i := range reports {
		reports[i] = tiers.Report{Tier: tiers.Ready, Status: check.Healthy, Total: 12 * time.Millisecond, Entries: make([]tiers.Entry, 250)}
		for j := range reports[i].Entries {
			reports[i].Entries[j] = tiers.Entry{
				Name: fmt.Sprintf("dependency-%04d", 250*i+j), Status: check.Healthy, Description: "reachable", Duration: time.Duration(137*j) * time.Microsecond,
			}
		}
	}
	return reports
}

// asMap is a report as encoding/json takes it.
func asMap(r tiers.Report) map[string]any {
	entries := make(map[string]any, len(r.Entries))
	for _, e := range r.Entries {
		entries[e.Name] = map[string]any{"status": e.Status.String(), "description": e.Description, "durationMs": float64(e.Duration) / 1e6}
	}
	return map[string]any{"status": r.Status.String(), "totalDurationMs": r.Total.Milliseconds(), "entries": entries}
}

// BenchmarkBody1000 writes 1000 entries, four bodies of 250, into a reused
// buffer.
func BenchmarkBody1000(b *testing.B) {
	reports := thousand()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range reports {
			buf, _ = r.AppendJSON(buf[:0])
		}
	}
}

// BenchmarkBody1000EncodingJSON is what BenchmarkBody1000 is compared with: at
// least eight times as long.
func BenchmarkBody1000EncodingJSON(b *testing.B) {
	var maps []map[string]any
	for _, r := range thousand() {
		maps = append(maps, asMap(r))
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range maps {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkBodyCut writes the one body of 1000 entries that is too long.
func BenchmarkBodyCut(b *testing.B) {
	var r tiers.Report
	for _, part := range thousand() {
		r.Entries = append(r.Entries, part.Entries...)
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = r.AppendJSON(buf[:0])
	}
}

// BenchmarkProbe answers one probe of a tier, with the results that are reused
// for a while, and with instant checks, which never are.
func BenchmarkProbe(b *testing.B) {
	kinds := map[string]check.Checker{
		"reused":  answer(check.Healthy),
		"instant": instant(func() check.Result { return check.Result{Status: check.Healthy} }),
	}
	for _, kind := range []string{"reused", "instant"} {
		for _, n := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%s-%d", kind, n), func(b *testing.B) {
				s := tiers.New()
				for i := range n {
					must(b, s.AddReady(fmt.Sprintf("check-%03d", i), kinds[kind]))
				}
				benchmarkHandler(b, mounted(b, s), "/health/ready")
			})
		}
	}
	b.Run("live", func(b *testing.B) { benchmarkHandler(b, mounted(b, tiers.New()), "/healthz") })
}

// BenchmarkRequireActive answers a request behind an open gate.
func BenchmarkRequireActive(b *testing.B) {
	g := &gatePointer{open: true}
	benchmarkHandler(b, tiers.RequireActive(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})), "/")
}

func benchmarkHandler(b *testing.B, h http.Handler, path string) {
	r := httptest.NewRequest("GET", path, http.NoBody)
	w := &discardingWriter{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}

type discardingWriter struct{ header http.Header }

func (w *discardingWriter) Header() http.Header         { return w.header }
func (w *discardingWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *discardingWriter) WriteHeader(int)             {}
