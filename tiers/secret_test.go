package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestCauseReachesTheLogOnly sends a canary through every way in which a check,
// its data, a writer, an observer or a gate can fail, and looks for it in
// everything that leaves the package (R20, row 51 of the fault matrix).
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
			"data encoders": func(context.Context) check.Result { return check.Result{Data: encoders} },
			"cause":         func(ctx context.Context) check.Result { <-ctx.Done(); panic(secret) },
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
