package tiers_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// failing is a Set with an Unhealthy ready tier.
func failing(t *testing.T, opts ...tiers.Option) *tiers.Set {
	t.Helper()
	s := tiers.New(opts...)
	must(t, s.AddReady("a", always(check.Result{Description: "topology", Err: errors.New(canary)})))
	return s
}

// TestStatusOnly shows nothing but the status (X12, F51).
func TestStatusOnly(t *testing.T) {
	mux := mounted(t, failing(t), tiers.WithResponseWriter(tiers.WriteStatusOnly))
	for path, body := range map[string]string{
		"/health/ready": `{"status":"Unhealthy"}`, "/health/active": `{"status":"Healthy"}`, "/healthz": `{"status":"Healthy"}`,
	} {
		if got := probe(mux, "GET", path).Body.String(); got != body {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestCustomWriter replaces the writer of every tier, the live one too
// (S1.43, S1.50), and of a handler mounted by hand.
func TestCustomWriter(t *testing.T) {
	write := func(w http.ResponseWriter, r *http.Request, report tiers.Report) {
		w.Header().Set("Content-Type", "text/plain")
		if r.Header.Get("X") != "" {
			w.WriteHeader(599)
		}
		_, _ = io.WriteString(w, string(report.Tier)+" is "+report.Status.String())
	}
	s := failing(t)
	mux := mounted(t, s, tiers.WithResponseWriter(write))
	mux.Handle("/mine", s.Handler(tiers.Ready, nil, tiers.WithResponseWriter(write)))
	mux.Handle("/plain", s.Handler(tiers.Ready, tiers.WithResponseWriter(nil)))
	for path, answer := range map[string]struct {
		code int
		body string
	}{
		"/health/ready":  {503, "ready is Unhealthy"}, // the code that it did not set
		"/health/active": {200, "active is Healthy"},
		"/healthz":       {200, "live is Healthy"},
		"/mine":          {503, "ready is Unhealthy"},
	} {
		rec := probe(mux, "GET", path)
		if rec.Code != answer.code || rec.Body.String() != answer.body || rec.Header().Get("Content-Type") != "text/plain" || rec.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s %v", path, rec.Code, rec.Body, rec.Header())
		}
	}
	want(t, probe(mux, "GET", "/plain"), 503, "Unhealthy")
	r := httptest.NewRequest("GET", "/mine", http.NoBody)
	r.Header.Set("X", "1")
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, r)
	if rec.Code != 599 {
		t.Errorf("the code that it set: %d", rec.Code)
	}
}

// TestCustomWriterMayChangeItsReport redacts what it was given; the next report
// and the last one are whole.
func TestCustomWriterMayChangeItsReport(t *testing.T) {
	s := failing(t)
	mux := mounted(t, s, tiers.WithResponseWriter(func(w http.ResponseWriter, r *http.Request, report tiers.Report) {
		if len(report.Entries) > 0 && report.Entries[0].Description != "topology" {
			t.Error("the report was changed by the probe before")
		}
		for i := range report.Entries {
			report.Entries[i] = tiers.Entry{Name: "redacted"}
		}
		tiers.WriteJSON(w, r, report)
	}))
	for range 3 {
		if b := want(t, probe(mux, "GET", "/health/ready"), 503, "Unhealthy"); len(b.Entries) != 1 {
			t.Errorf("%v", b)
		}
	}
	for range 2 {
		last, _, _ := s.Last(tiers.Ready)
		report := s.Evaluate(t.Context(), tiers.Ready)
		if last.Entries[0].Name != "a" || report.Entries[0].Name != "a" {
			t.Errorf("last %v, evaluated %v", last, report)
		}
		last.Entries[0].Name, report.Entries[0].Name = "changed", "changed"
	}
}

// TestBrokenWriters panic, end their goroutine, before and after they wrote.
// Over a real connection every probe is answered completely: 500 and nothing of
// what was written, and on the live tier 200 (S1.5).
func TestBrokenWriters(t *testing.T) {
	breaks := map[string]func(){
		"panic": func() { panic(canary) },
		"abort": func() { panic(http.ErrAbortHandler) },
		"exit":  runtime.Goexit,
	}
	for name, breaks := range breaks {
		for _, written := range []string{"", `{"status":"Heal`} {
			var log lockedLog
			s := failing(t, tiers.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			broken := true
			server := httptest.NewServer(mounted(t, s, tiers.WithResponseWriter(func(w http.ResponseWriter, r *http.Request, report tiers.Report) {
				if !broken {
					tiers.WriteJSON(w, r, report)
					return
				}
				if written != "" {
					w.WriteHeader(200)
					_, _ = io.WriteString(w, written)
				}
				breaks()
			})))
			for range 3 {
				got := exchange(t, "GET", server.URL+"/health/ready")
				if diff := cmp.Diff(`{"error":"response writer failed"}`, string(got.body)); got.code != 500 || diff != "" {
					t.Errorf("%s after %q: %d: %s", name, written, got.code, diff)
				}
				if got := exchange(t, "GET", server.URL+"/healthz"); got.code != 200 || string(got.body) != `{"status":"Healthy"}` {
					t.Errorf("%s after %q: live: %d %s", name, written, got.code, got.body)
				}
			}
			broken = false
			if got := exchange(t, "GET", server.URL+"/health/ready"); got.code != 503 {
				t.Errorf("%s: mended: %d", name, got.code)
			}
			server.Close()
			if lines := strings.Count(log.String(), "response writer failed"); lines != 2 {
				t.Errorf("%s after %q: %d lines in the log, want one for each of the two tiers: %s", name, written, lines, &log)
			}
		}
	}
}

// TestWriterCodes ignores status codes that would make net/http panic, and all
// but the first.
func TestWriterCodes(t *testing.T) {
	for _, c := range []struct {
		codes []int
		want  int
	}{
		{[]int{0}, 503}, {[]int{-1}, 503}, {[]int{99}, 503}, {[]int{100}, 503}, {[]int{1000}, 503}, {[]int{103, 418}, 418}, {[]int{204}, 204}, {[]int{418, 200}, 418},
	} {
		mux := mounted(t, failing(t), tiers.WithResponseWriter(func(w http.ResponseWriter, _ *http.Request, _ tiers.Report) {
			for _, code := range c.codes {
				w.WriteHeader(code)
			}
		}))
		if got := probe(mux, "GET", "/health/ready").Code; got != c.want {
			t.Errorf("%v: %d, want %d", c.codes, got, c.want)
		}
	}
}

// TestWritersWithoutARequest is for those who have none.
func TestWritersWithoutARequest(t *testing.T) {
	for _, write := range []tiers.ResponseWriter{tiers.WriteJSON, tiers.WriteStatusOnly} {
		rec := httptest.NewRecorder()
		write(rec, nil, tiers.Report{Tier: tiers.Ready, Status: check.Degraded})
		want(t, rec, 200, "Degraded")
	}
}
