package check_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/loopvitals/loopvitals/check"
)

// canary stands for what errors of drivers hold: addresses, names, passwords.
const canary = "postgres://admin:hunter2@db.internal:5432/orders?token=hunter2"

type leakyTransport struct{}

func (leakyTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New(canary)
}

// TestSecretsStayInTheLog is F51: whatever a check's error holds, it is in
// the log hook's line and in nothing that a client or a metric could show.
func TestSecretsStayInTheLog(t *testing.T) {
	leak := errors.New(canary)
	fail := func(context.Context) error { return leak }
	down := &fakeDB{}
	down.fail(leak)
	for name, c := range map[string]check.Checker{
		"func":      check.Func(func(context.Context) check.Result { return check.Result{Err: leak} }),
		"degraded":  check.Func(func(context.Context) check.Result { return check.Result{Status: check.Degraded, Err: leak} }),
		"ping":      check.Ping(fail),
		"wrapped":   check.Ping(func(context.Context) error { return fmt.Errorf("ping: %w", leak) }),
		"sql":       check.SQL(down.open(t)),
		"query":     check.SQL(down.open(t), func(context.Context, *sql.DB) error { return leak }),
		"database":  check.Database(&pool{leak}),
		"http":      check.HTTP("http://admin:hunter2@127.0.0.1:1/?token=hunter2", check.WithTransport(leakyTransport{})),
		"panic":     check.Func(func(context.Context) check.Result { panic(leak) }),
		"panicText": check.Func(func(context.Context) check.Result { panic(canary) }),
		"instant":   instant{check.Ping(fail)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				r := newRunner(t, c, check.Sampling{}, check.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				s := r.Sample(t.Context())
				last, _ := r.Last()
				synctest.Wait()
				for _, s := range []check.Sample{s, last} {
					shown := fmt.Sprint(s.Name, s.Result.Status, s.Result.Description, s.Result.Data, s.Outcome, s.Started, s.Duration)
					if strings.Contains(shown, "hunter2") {
						t.Errorf("shown to clients: %s", shown)
					}
				}
				if !strings.Contains(log.String(), "hunter2") {
					t.Errorf("the log does not tell the cause: %q", log.String())
				}
			})
		})
	}
}
