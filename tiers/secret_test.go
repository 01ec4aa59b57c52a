package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestCauseReachesTheLogOnly sends a canary through every way in which a check,
// its data, a writer, an observer or a gate can fail, and looks for it in
// everything that leaves the package (F51).
func TestCauseReachesTheLogOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lockedLog
		secret := errors.New("postgres://admin:" + canary + "@db")
		s := tiers.New(tiers.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
		encoders := hostile()
		bad := map[string]func(context.Context) check.Result{
			"no words":   func(context.Context) check.Result { return check.Result{Err: secret} },
			"some words": func(context.Context) check.Result { return check.Result{Description: "unreachable", Err: secret} },
			"degraded":   func(context.Context) check.Result { return check.Result{Status: check.Degraded, Err: secret} },
			"healthy":    func(context.Context) check.Result { return check.Result{Status: check.Healthy, Err: secret} },
			"joined": func(context.Context) check.Result {
				return check.Result{Err: errors.Join(secret, fmt.Errorf("at: %w", secret))}
			},
			"panic":      func(context.Context) check.Result { panic(secret) },
			"panic text": func(context.Context) check.Result { panic(secret.Error()) },
			"data error": func(context.Context) check.Result {
				return check.Result{Data: map[string]any{"err": secret, "list": []any{secret}}}
			},
			"data errors in typed containers": func(context.Context) check.Result { return check.Result{Data: errorsInside()} },
			"data encoders":                   func(context.Context) check.Result { return check.Result{Data: encoders} },
			"cause":                           func(ctx context.Context) check.Result { <-ctx.Done(); panic(secret) },
		}
		for name, c := range bad {
			must(t, s.Register(name, check.Func(c), "ready", "active", "startup", "wedged"))
			must(t, s.AddReady("instant "+name, instant(func() check.Result {
				if name == "cause" {
					panic(secret)
				}
				return c(context.Background())
			})))
		}
		must(t, s.AddReady("ping", check.Ping(func(context.Context) error { return secret })))
		s.Observe(func(sample check.Sample) { panic(sample.Result.Err) })

		handlers := []http.Handler{
			mounted(t, s),
			mounted(t, s, tiers.WithResponseWriter(tiers.WriteStatusOnly)),
			mounted(t, s, tiers.WithResponseWriter(func(http.ResponseWriter, *http.Request, tiers.Report) { panic(secret) })),
			tiers.RequireActive(gate(func() bool { panic(secret) }), nil),
		}
		for _, h := range handlers {
			for _, path := range []string{"/health/ready", "/health/active", "/health/startup", "/health/wedged", "/healthz", "/nowhere"} {
				for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST"} {
					rec := probe(h, method, path)
					if out := rec.Body.String() + fmt.Sprint(rec.Header()); strings.Contains(out, canary) {
						t.Errorf("%s %s: %s", method, path, out)
					}
				}
			}
		}
		for _, tier := range []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged} {
			report, _, _ := s.Last(tier)
			for _, e := range report.Entries {
				if strings.Contains(e.Name+e.Description, canary) {
					t.Errorf("%s: %+v", tier, e)
				}
			}
		}
		if out := fmt.Sprintf("%+v %+v", s.TierStates(), s.CheckStates()); strings.Contains(out, canary) {
			t.Error(out)
		}
		if !strings.Contains(log.String(), canary) {
			t.Error("the log does not tell the cause")
		}
	})
}

// dialError is what drivers return: errors whose exported fields tell the
// address and the password, which encoding/json would print.
func dialError() error {
	return &url.Error{Op: canary, URL: "postgres://admin:" + canary + "@db", Err: &net.OpError{Op: canary, Net: "tcp", Err: errors.New(canary)}}
}

// encodingError is an error that encodes itself.
type encodingError struct{}

func (encodingError) Error() string                { return canary }
func (encodingError) MarshalJSON() ([]byte, error) { return []byte(`"` + canary + `"`), nil }

// appendingError is an error that appends itself.
type appendingError struct{}

func (*appendingError) Error() string { return canary }
func (*appendingError) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, `"`+canary+`"`...), nil
}

// errorsInside holds errors in every kind of container that encoding/json
// writes.
func errorsInside() map[string]any {
	type cause struct{ Cause error }
	type anyCause struct{ Cause any }
	type Embedded struct{ Causes []error }
	type embeds struct{ Embedded }
	err := dialError()
	value := *err.(*url.Error)
	return map[string]any{
		"itself":             err,
		"value":              value,
		"pointer to pointer": &err,
		"list":               []error{err},
		"list of pointers":   []*url.Error{&value},
		"list of values":     []url.Error{value},
		"array":              [1]error{err},
		"map":                map[string]error{"a": err},
		"map of lists":       map[string][]error{"a": {nil, err}},
		"struct":             cause{err},
		"pointer":            &cause{err},
		"any in a struct":    anyCause{[]any{1, err}},
		"typed in any":       []any{[]error{err}, map[string]any{"deep": map[int]error{1: err}}},
		"embedded":           embeds{Embedded{[]error{err}}},
		"encodes itself":     encodingError{},
		"encodes in a list":  []encodingError{{}},
		"appends itself":     &appendingError{},
		"joined":             []error{errors.Join(err)},
	}
}

// TestErrorsInDataAreLeftOut leaves out each value that holds an error, and
// nothing else (F51).
func TestErrorsInDataAreLeftOut(t *testing.T) {
	for name, value := range errorsInside() {
		got := encode(t, map[string]any{"a": 1, "value": value})
		_, there := got["value"]
		if out := fmt.Sprint(got); strings.Contains(out, canary) || there != (name == "typed in any") || got["a"] != 1.0 {
			t.Errorf("%s: %s", name, out)
		}
	}
	type hidden struct {
		Shown string
		Err   error `json:"-"`
		err   error
	}
	type none struct{ Cause error }
	for name, value := range map[string]any{
		"fields that are not written": hidden{"yes", dialError(), dialError()},
		"no error in the field":       none{},
		"no error in the list":        []error{nil, (*url.Error)(nil)},
		"a time":                      []time.Time{time.Unix(0, 0)},
		"nothing":                     (*none)(nil),
	} {
		if got := encode(t, map[string]any{"value": value}); got["value"] == nil && name != "nothing" || strings.Contains(fmt.Sprint(got), canary) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// lockedLog is written to by many goroutines.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
