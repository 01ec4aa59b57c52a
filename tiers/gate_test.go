package tiers_test

import (
	"encoding/json"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/tiers"
)

// gate is a Gate with no cluster at all (S1.45).
type gate func() bool

func (g gate) IsActive() bool { return g() }

type gatePointer struct{ open bool }

func (g *gatePointer) IsActive() bool { return g.open }

// TestRequireActive is the table of gates (S1.47, S1.48, F52).
func TestRequireActive(t *testing.T) {
	for name, c := range map[string]struct {
		gate tiers.Gate
		code int
	}{
		"open":               {gate(func() bool { return true }), http.StatusNoContent},
		"closed":             {gate(func() bool { return false }), 503},
		"nil":                {nil, 503},
		"nil function":       {gate(nil), 503},
		"nil pointer":        {(*gatePointer)(nil), 503},
		"zero":               {&gatePointer{}, 503},
		"panics":             {gate(func() bool { panic(canary) }), 503},
		"panics with nil":    {gate(func() bool { panic(nil) }), 503}, //nolint:govet // on purpose
		"ends its goroutine": {gate(func() bool { runtime.Goexit(); return true }), 503},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			h := tiers.RequireActive(c.gate, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.WriteHeader(http.StatusNoContent)
			}))
			for _, method := range []string{"GET", "POST", "HEAD", "OPTIONS", "DELETE"} {
				calls = 0
				rec := probe(h, method, "/orders")
				if rec.Code != c.code || calls != map[bool]int{true: 1}[c.code == http.StatusNoContent] {
					t.Errorf("%s: %d after %d calls", method, rec.Code, calls)
				}
				if rec.Code != 503 {
					continue
				}
				if rec.Header().Get("Retry-After") != "5" || rec.Header().Get("Cache-Control") != "no-store" || rec.Header().Get("Content-Type") != "application/json" {
					t.Errorf("%s: headers %v", method, rec.Header())
				}
				if body := rec.Body.String(); method == "HEAD" && body != "" || method != "HEAD" && !json.Valid([]byte(body)) || strings.Contains(body, canary) {
					t.Errorf("%s: body %q", method, body)
				}
			}
		})
	}
}

// TestRequireActiveAsksEveryTime follows a gate that opens and closes.
func TestRequireActiveAsksEveryTime(t *testing.T) {
	g := &gatePointer{}
	h := tiers.RequireActive(g, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, open := range []bool{false, true, true, false, true} {
		g.open = open
		if got := probe(h, "GET", "/").Code; (got == 200) != open {
			t.Errorf("open %v: %d", open, got)
		}
	}
	g.open = true
	if got := probe(tiers.RequireActive(g, nil), "GET", "/").Code; got != 404 {
		t.Errorf("no handler: %d", got)
	}
}
