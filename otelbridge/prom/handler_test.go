package prom_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/prom"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestNegotiation gives each client the format that it asks for, as the client
// library's own negotiation has it, and text to one that asks for neither.
func TestNegotiation(t *testing.T) {
	e := crowd(t, 1)
	const text, open = "text/plain; version=0.0.4; charset=utf-8", "application/openmetrics-text; version="
	for accept, want := range map[string]string{
		"":                         text,
		"*/*":                      text,
		"text/plain":               text,
		"text/html, */*;q=0.1":     text,
		"text/plain;version=0.0.4": text,
		"application/json":         text,
		"nonsense;;;=,":            text,
		openMetrics:                open + "1.0.0",
		"application/openmetrics-text;version=1.0.0":                                                 open + "1.0.0",
		"application/openmetrics-text;version=0.0.1":                                                 open + "0.0.1",
		"text/plain;version=0.0.4;q=0.9,application/openmetrics-text;version=1.0.0;q=0.1":            text,
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited": text,
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.3": open + "1.0.0",
	} {
		w := get(t, e, "Accept", accept)
		got := w.Header().Get("Content-Type")
		if !strings.HasPrefix(got, want) {
			t.Errorf("Accept %q: Content-Type %q, want %s…", accept, got, want)
		}
		if ends := strings.HasSuffix(w.Body.String(), "\n# EOF\n"); ends != strings.HasPrefix(want, open) {
			t.Errorf("Accept %q: body ends in # EOF: %v", accept, ends)
		}
	}
}

// TestCompression compresses what is worth it, for a client that takes it.
func TestCompression(t *testing.T) {
	small, middle, large := crowd(t, 1), crowd(t, 20), crowd(t, 1000)
	for _, c := range []struct {
		accept string
		want   bool
	}{
		{"", false},
		{"identity", false},
		{"gzip", true},
		{"GZip", true},
		{"deflate, gzip;q=0.5", true},
		{"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
		{"*", true},
		{"gzip;q=0", false},
		{"gzip; q=0.000", false},
		{"*, gzip;q=0", false},
		{"*;q=0", false},
		{"*;q=0, gzip", true},
		{"gzip;q=nonsense", false},
		{"gzip;q=NaN", false},
		{"gzip;level=1", false},
		{"x-gzip", false},
		{"gzipped", false},
	} {
		for size, e := range map[string]*prom.Exporter{"small": small, "middle": middle, "large": large} {
			w := get(t, e, "Accept-Encoding", c.accept)
			want := c.want && size != "small"
			if got := w.Header().Get("Content-Encoding") == "gzip"; got != want {
				t.Errorf("%q, %s: compressed: %v, want %v", c.accept, size, got, want)
			}
			body := w.Body.String()
			if want {
				body = unzipped(t, w.Body)
			}
			if got, plain := strings.Count(body, "\n"), strings.Count(get(t, e).Body.String(), "\n"); got != plain {
				t.Errorf("%q, %s: %d lines, want %d", c.accept, size, got, plain)
			}
		}
	}
	w := get(t, large, "Accept-Encoding", "br", "Accept-Encoding", "gzip")
	if w.Header().Get("Content-Encoding") != "gzip" || !strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") {
		t.Errorf("accepted on a second line: %v", w.Header())
	}
}

func unzipped(t *testing.T, body *bytes.Buffer) string {
	t.Helper()
	z, err := gzip.NewReader(body)
	must(t, err)
	text, err := io.ReadAll(z)
	must(t, err, z.Close())
	return string(text)
}

// TestWorthwhile is the bound from which a body is compressed.
func TestWorthwhile(t *testing.T) {
	const bound = 14 << 10
	below, from := 0, 0
	for n := 1; n < 40; n++ {
		e := crowd(t, n)
		size := get(t, e).Body.Len()
		zipped := get(t, e, "Accept-Encoding", "gzip").Header().Get("Content-Encoding") == "gzip"
		if zipped != (size >= bound) && (size < bound-100 || size > bound+100) { // ages vary in length
			t.Errorf("%d bytes: compressed: %v", size, zipped)
		}
		if zipped {
			from++
		} else {
			below++
		}
	}
	if below == 0 || from == 0 {
		t.Errorf("%d bodies below the bound, %d from it on", below, from)
	}
}

// TestMethods: GET and HEAD, with the same header, and nothing else.
func TestMethods(t *testing.T) {
	for name, e := range map[string]*prom.Exporter{"small": crowd(t, 1), "large": crowd(t, 1000)} {
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get"} {
			w := httptest.NewRecorder()
			e.ServeHTTP(w, httptest.NewRequest(method, "/metrics", nil))
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" || strings.Contains(w.Body.String(), "liveness") {
				t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
			}
		}
		for _, encoding := range []string{"gzip", "identity"} {
			r := httptest.NewRequest(http.MethodHead, "/metrics?verbose=1&name[]=x", nil)
			r.Header.Set("Accept-Encoding", encoding)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code != http.StatusOK || w.Body.Len() != 0 {
				t.Errorf("%s: HEAD: %d with %d bytes", name, w.Code, w.Body.Len())
			}
			whole := get(t, e, "Accept-Encoding", encoding)
			for _, h := range []string{"Content-Type", "Content-Encoding", "Vary", "Cache-Control", "X-Content-Type-Options"} {
				if w.Header().Get(h) != whole.Header().Get(h) {
					t.Errorf("%s: HEAD has %s %q, GET %q", name, h, w.Header().Get(h), whole.Header().Get(h))
				}
			}
			if whole.Header().Get("Cache-Control") != "no-store" || whole.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: header %v", name, whole.Header())
			}
			length := whole.Header().Get("Content-Length")
			if name == "small" != (length != "") || length != "" && length != strconv.Itoa(whole.Body.Len()) {
				t.Errorf("%s: Content-Length %q of %d bytes", name, length, whole.Body.Len())
			}
			if name == "small" && w.Header().Get("Content-Length") == "" {
				t.Error("HEAD has no Content-Length")
			}
		}
	}
}

// TestNothingToTell: a closed, a nil and a zero Exporter answer with an empty
// body that is valid in either format.
func TestNothingToTell(t *testing.T) {
	closed := crowd(t, 100)
	must(t, closed.Close(), closed.Close())
	for name, e := range map[string]*prom.Exporter{"closed": closed, "nil": nil, "zero": new(prom.Exporter)} {
		if got := get(t, e).Body.String(); got != "" {
			t.Errorf("%s: body %q", name, got)
		}
		if got := get(t, e, "Accept", openMetrics).Body.String(); got != "# EOF\n" {
			t.Errorf("%s: OpenMetrics body %q", name, got)
		}
		must(t, e.Close())
	}
}

// chunks is a client that notes the sizes in which it is written to, and fails
// after some of them.
type chunks struct {
	header http.Header
	sizes  []int
	after  int
}

func (c *chunks) Header() http.Header { return c.header }
func (c *chunks) WriteHeader(int)     {}
func (c *chunks) Write(p []byte) (int, error) {
	c.sizes = append(c.sizes, len(p))
	if len(c.sizes) > c.after {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// TestChunks: a large text is never held whole, and a client that went away is
// written to no more.
func TestChunks(t *testing.T) {
	e := crowd(t, 5000)
	for _, encoding := range []string{"identity", "gzip"} {
		for after := range 4 {
			w := &chunks{header: http.Header{}, after: after}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", encoding)
			e.ServeHTTP(w, r)
			if len(w.sizes) != after+1 {
				t.Errorf("%s: %d writes to a client that fails after %d", encoding, len(w.sizes), after)
			}
		}
		w := &chunks{header: http.Header{}, after: 1 << 30}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", encoding)
		e.ServeHTTP(w, r)
		for _, size := range w.sizes {
			if size > 64<<10+1<<10 {
				t.Errorf("%s: a chunk of %d bytes", encoding, size)
			}
		}
		if len(w.sizes) < 10 {
			t.Errorf("%s: 5000 processors in %d writes", encoding, len(w.sizes))
		}
	}
	if got := len(samplesOf(t, get(t, e).Body.String())); got != seriesOf(5000) {
		t.Errorf("%d series after clients that went away, want %d", got, seriesOf(5000))
	}
}

// brokenClock is a clock of the user's that panics.
type brokenClock struct{ board.Clock }

// TestPanickingClock: a clock of the user's ends the scrape with an error that
// does not say why, and not the process; the registry is told.
func TestPanickingClock(t *testing.T) {
	b := board.New()
	b.MustRegister(board.Spec{ID: "p"})
	e := newExporter(t, otelbridge.Sources{Monitors: monitors(t, b).Monitors, Tiers: tiers.New()}, prom.WithClock(brokenClock{}))
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "nil pointer") || strings.Contains(fmt.Sprint(w.Header()), "version") {
		t.Errorf("%d %v: %q", w.Code, w.Header(), w.Body)
	}
	r := pedantic(t, e)
	if _, err := r.Gather(); err == nil || !strings.Contains(err.Error(), "prom: reading panicked: ") {
		t.Errorf("Gather: error %v", err)
	}
}
