package tiers_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
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

// admitter is a Gate that is an Admitter too.
type admitter func(context.Context) (context.Context, func(), error)

func (admitter) IsActive() bool { panic("an Admitter is asked to admit") }

func (a admitter) Enter(ctx context.Context) (context.Context, func(), error) { return a(ctx) }

// locator is a closed Gate that is a Locator too.
type locator func() (string, bool)

func (locator) IsActive() bool { return false }

func (l locator) ActiveNode() (address string, known bool) { return l() }

// TestRequireActive is the table of gates (S1.47, S1.48, F52).
func TestRequireActive(t *testing.T) {
	nothing := func() {}
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

		"admits":                     {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, nothing, nil }), http.StatusNoContent},
		"admits without a release":   {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, nil, nil }), http.StatusNoContent},
		"admits without a context":   {admitter(func(context.Context) (context.Context, func(), error) { return nil, nothing, nil }), 503},
		"admits with nothing at all": {admitter(func(context.Context) (context.Context, func(), error) { return nil, nil, nil }), 503},
		"refuses":                    {admitter(func(context.Context) (context.Context, func(), error) { return nil, nil, errors.New(canary) }), 503},
		"refuses and has it all":     {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, nothing, errors.New(canary) }), 503},
		"nil admitter":               {admitter(nil), 503},
		"admission panics":           {admitter(func(context.Context) (context.Context, func(), error) { panic(canary) }), 503},
		"admission ends":             {admitter(func(context.Context) (context.Context, func(), error) { runtime.Goexit(); return nil, nil, nil }), 503},
		"release panics":             {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, func() { panic(canary) }, nil }), http.StatusNoContent},
		"release ends its goroutine": {admitter(func(ctx context.Context) (context.Context, func(), error) { return ctx, runtime.Goexit, nil }), http.StatusNoContent},

		"locates":            {locator(func() (string, bool) { return "10.0.0.2:4053", true }), 503},
		"nil locator":        {locator(nil), 503},
		"locating panics":    {locator(func() (string, bool) { panic(canary) }), 503},
		"locating ends":      {locator(func() (string, bool) { runtime.Goexit(); return canary, true }), 503},
		"locates not":        {locator(func() (string, bool) { return canary, false }), 503},
		"locates a new line": {locator(func() (string, bool) { return canary + "\n", true }), 503},
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

// TestNotActiveBody holds the bytes of a closed gate's answer, which are part of
// the API, and the addresses that are shown.
func TestNotActiveBody(t *testing.T) {
	get := func(address string, known bool) []byte {
		return probe(tiers.RequireActive(locator(func() (string, bool) { return address, known }), nil), "GET", "/").Body.Bytes()
	}
	golden(t, "not-active", get("", false))
	golden(t, "not-active-node", get("10.0.0.2:4053", true))
	longest := strings.Repeat("n", 253) + ":65535"
	for _, shown := range []string{"[fd00::2]:4053", "orders-2.example:80", longest, `<"&\>`} {
		var body struct{ ActiveNode string }
		must(t, json.Unmarshal(get(shown, true), &body))
		if body.ActiveNode != shown {
			t.Errorf("%q is shown as %q", shown, body.ActiveNode)
		}
	}
	for _, hidden := range []string{"", "n" + longest, "a b:1", "a\x00:1", "a\x7f:1", "ä:1", "\xff:1"} {
		if got := get(hidden, true); strings.Contains(string(got), "activeNode") {
			t.Errorf("%q is shown: %s", hidden, got)
		}
	}
}

// TestRequestEndsWithTheTenure: the handler's context is the one that the gate
// made of the request's, and the gate hears of the end of the work once,
// however the handler ended.
func TestRequestEndsWithTheTenure(t *testing.T) {
	type key struct{}
	lost := errors.New("lost the role")
	for name, end := range map[string]func(){
		"returns": func() {}, "panics": func() { panic(http.ErrAbortHandler) }, "ends its goroutine": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			running, released := false, 0
			var endTenure context.CancelCauseFunc
			g := admitter(func(ctx context.Context) (context.Context, func(), error) {
				ctx, endTenure = context.WithCancelCause(ctx)
				return ctx, func() {
					released++
					if running {
						t.Error("released while the handler ran")
					}
				}, nil
			})
			h := tiers.RequireActive(g, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				running = true
				defer func() { running = false }()
				if r.Context().Value(key{}) != "request" || r.Context().Err() != nil || released > 0 {
					t.Errorf("in the handler: %v, released %d times", r.Context(), released)
				}
				endTenure(lost)
				<-r.Context().Done()
				if context.Cause(r.Context()) != lost {
					t.Errorf("the context ended of %v", context.Cause(r.Context()))
				}
				end()
			}))
			ended := make(chan struct{})
			go func() { // which ends with the handler, as one of a server does
				defer close(ended)
				defer func() { _ = recover() }()
				r := httptest.NewRequest("GET", "/", nil)
				h.ServeHTTP(newRecorder(), r.WithContext(context.WithValue(r.Context(), key{}, "request")))
			}()
			<-ended
			if released != 1 {
				t.Errorf("released %d times", released)
			}
		})
	}
}
