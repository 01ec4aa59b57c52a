package tiers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestMethods is the table of methods, over a real connection, for every tier
// and for each of the writers (X13).
func TestMethods(t *testing.T) {
	s := tiers.New()
	must(t, s.AddReady("a", answer(check.Unhealthy)), s.AddActive("b", answer(check.Degraded)))
	must(t, s.AddWedged("c", answer(check.Healthy)), s.AddStartup("d", answer(check.Healthy)))
	writers := map[string][]tiers.MountOption{
		"canonical":   nil,
		"status only": {tiers.WithResponseWriter(tiers.WriteStatusOnly)},
		"custom": {tiers.WithResponseWriter(func(w http.ResponseWriter, r *http.Request, report tiers.Report) {
			w.Header().Set("X-Method", r.Method)
			_, _ = io.WriteString(w, `{"status":"`+report.Status.String()+`","entries":{}}`)
		})},
	}
	for name, opts := range writers {
		server := httptest.NewServer(mounted(t, s, opts...))
		defer server.Close()
		for path, code := range map[string]int{"/health/ready": 503, "/health/active": 200, "/healthz": 200, "/health/wedged": 200, "/health/startup": 503} {
			get := exchange(t, "GET", server.URL+path)
			if get.code != code || len(get.body) == 0 {
				t.Errorf("%s: GET %s: %d %q", name, path, get.code, get.body)
			}
			if l := get.header.Get("Content-Length"); l != strconv.Itoa(len(get.body)) {
				t.Errorf("%s: GET %s: Content-Length %s of %d bytes", name, path, l, len(get.body))
			}
			for _, method := range []string{"HEAD", "OPTIONS"} {
				got := exchange(t, method, server.URL+path)
				if got.code != code || len(got.body) != 0 {
					t.Errorf("%s: %s %s: %d %q", name, method, path, got.code, got.body)
				}
				for _, key := range []string{"Content-Type", "Cache-Control", "X-Content-Type-Options"} {
					if got.header.Get(key) != get.header.Get(key) || got.header.Get(key) == "" {
						t.Errorf("%s: %s %s: %s %q, GET has %q", name, method, path, key, got.header.Get(key), get.header.Get(key))
					}
				}
			}
			// The times in a body make its length differ by a few digits.
			if l, _ := strconv.Atoi(exchange(t, "HEAD", server.URL+path).header.Get("Content-Length")); l < len(get.body)-30 || l > len(get.body)+30 {
				t.Errorf("%s: HEAD %s: Content-Length %d, GET has %d", name, path, l, len(get.body))
			} else if name != "canonical" && l != len(get.body) {
				t.Errorf("%s: HEAD %s: Content-Length %d, GET has %d", name, path, l, len(get.body))
			}
			if allow := exchange(t, "OPTIONS", server.URL+path).header.Get("Allow"); allow != "GET, HEAD, OPTIONS" {
				t.Errorf("%s: OPTIONS %s: Allow %q", name, path, allow)
			}
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "get", "X"} {
				got := exchange(t, method, server.URL+path)
				if got.code != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, HEAD, OPTIONS" ||
					got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Type") != "application/json" {
					t.Errorf("%s: %s %s: %d %v", name, method, path, got.code, got.header)
				}
			}
		}
	}
}

// TestHeaders wants the same headers on every answer, errors included (S1.37),
// and no other than net/http's own.
func TestHeaders(t *testing.T) {
	s := tiers.New()
	must(t, s.AddReady("a", answer(check.Unhealthy)))
	mux := mounted(t, s)
	for path, requests := range map[string][]string{"/health/ready": {"GET", "HEAD", "OPTIONS", "POST"}, "/healthz": {"GET", "POST"}, "/%68ealthz": {"GET"}} {
		for _, method := range requests {
			header := probe(mux, method, path).Header()
			for key, value := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
				if header.Get(key) != value {
					t.Errorf("%s %s: %s is %q", method, path, key, header.Get(key))
				}
			}
			for key := range header {
				switch key {
				case "Content-Type", "Cache-Control", "X-Content-Type-Options", "Content-Length", "Allow":
				default:
					t.Errorf("%s %s: has %s", method, path, key)
				}
			}
		}
	}
}

// TestNothingInTheRequestChangesTheAnswer tries queries, headers and bodies
// that other health endpoints obey.
func TestNothingInTheRequestChangesTheAnswer(t *testing.T) {
	s := tiers.New(tiers.WithClock(fixedClock()))
	must(t, s.AddReady("a", answer(check.Unhealthy)), s.AddReady("b", answer(check.Healthy)))
	mux := mounted(t, s)
	plain := probe(mux, "GET", "/health/ready").Body.String()
	for _, query := range []string{"?exclude=a", "?verbose", "?full=1&status=200", "?%zz", "?a=b;c=d", "?"} {
		if got := probe(mux, "GET", "/health/ready"+query); got.Code != 503 || got.Body.String() != plain {
			t.Errorf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	r := httptest.NewRequest("GET", "/health/ready", http.NoBody)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("X-HTTP-Method-Override", "DELETE")
	r.Header.Set("If-None-Match", "*")
	r.Header.Set("Range", "bytes=0-1")
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, r)
	if rec.Code != 503 || rec.Body.String() != plain {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

type exchanged struct {
	code   int
	header http.Header
	body   []byte
}

func exchange(t *testing.T, method, url string) exchanged {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	must(t, err)
	res, err := http.DefaultTransport.RoundTrip(r)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	must(t, err)
	return exchanged{res.StatusCode, res.Header, raw}
}
