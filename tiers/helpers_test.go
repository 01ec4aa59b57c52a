package tiers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// answer is a check that always answers the same.
func answer(status check.Status) check.Checker {
	return check.Func(func(context.Context) check.Result { return check.Result{Status: status} })
}

// instant is a check that is asked anew for every probe.
type instant func() check.Result

func (f instant) Check(context.Context) check.Result { return f() }
func (instant) Instant()                             {}

// must ends the test when wiring fails.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// probe asks a handler as a client without a network would.
func probe(h http.Handler, method, path string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, nil))
	return rec
}

// mounted returns the set's tiers at their default paths.
func mounted(t testing.TB, s *tiers.Set, opts ...tiers.MountOption) *http.ServeMux {
	t.Helper()
	mux := http.NewServeMux()
	must(t, s.Mount(mux, opts...))
	return mux
}

// body is what a client reads.
type body struct {
	Status    string           `json:"status"`
	Truncated int              `json:"truncated"`
	Entries   map[string]entry `json:"entries"`
}

type entry struct {
	Status      string         `json:"status"`
	Description *string        `json:"description"`
	DurationMs  float64        `json:"durationMs"`
	Data        map[string]any `json:"data"`
}

// read parses a body and fails the test unless it is complete, sound JSON.
func read(t testing.TB, raw []byte) body {
	t.Helper()
	var b body
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var known struct {
		body
		TotalDurationMs int64 `json:"totalDurationMs"`
	}
	if err := decoder.Decode(&known); err != nil {
		t.Fatalf("body %q: %v", raw, err)
	}
	b = known.body
	if decoder.More() || !json.Valid(raw) {
		t.Fatalf("body %q: not one JSON value", raw)
	}
	return b
}

// want fails the test unless the probe was answered with code and status.
func want(t testing.TB, rec *httptest.ResponseRecorder, code int, status string) body {
	t.Helper()
	b := read(t, rec.Body.Bytes())
	if rec.Code != code || b.Status != status {
		t.Fatalf("%d %s, want %d %s: %s", rec.Code, b.Status, code, status, rec.Body)
	}
	return b
}

// fixedClock stands still, so that bodies are the same byte for byte.
func fixedClock() *clock.Mock { return clock.NewMock() }

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }

// tally counts calls by name; checks of a tier run at the same time.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name]++
}

// take returns the counts so far and begins anew.
func (c *tally) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = nil
	return n
}
