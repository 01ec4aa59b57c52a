package liveness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
)

// logged is a logger and the records that it has written.
func logged() (*slog.Logger, func(t *testing.T) []map[string]any) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return log, func(t *testing.T) (records []map[string]any) {
		t.Helper()
		synctest.Wait()
		for line := range strings.Lines(out.String()) {
			var record map[string]any
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			delete(record, "time")
			records = append(records, record)
		}
		out.Reset()
		return records
	}
}

// TestLog: changes only, in attributes only, with the cause.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := logged()
		b := board.New(board.WithName("main"))
		_, stop := watched(t, b, WithLogger(log), WithPolicy(Policy{DegradedLag: 10}))
		pause := func() { time.Sleep(tick); synctest.Wait() } // a tick has passed, and was dealt with
		const id = `orders %s" level=ERROR <b>`
		p := b.MustRegister(board.Spec{ID: id})
		p.BeatLag(3)
		for range 20 {
			pause()
			p.BeatLag(3)
		}
		p.BeatLag(11)
		pause()
		p.Fault(errors.New("no such table"))
		pause()
		b.Remove(id)
		pause()
		entry := func(level, message string, attrs map[string]any) map[string]any {
			attrs["level"], attrs["msg"], attrs["board"], attrs["processor"] = level, message, "main", id
			return attrs
		}
		want := []map[string]any{
			entry("INFO", "processor verdict changed", map[string]any{
				"from": "unreported", "to": "running", "status": "Healthy", "bound": 5e9,
			}),
			entry("WARN", "processor verdict changed", map[string]any{
				"from": "running", "to": "lagging", "status": "Degraded", "lag": 11.0, "bound": 5e9,
			}),
			entry("ERROR", "processor verdict changed", map[string]any{
				"from": "lagging", "to": "faulted", "status": "Unhealthy", "bound": 0.0, "err": "no such table",
			}),
			entry("INFO", "processor left the board", map[string]any{"from": "faulted"}),
		}
		got := records(t)
		for _, r := range got {
			delete(r, "age")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestLogNamesTheWorker of a pool.
func TestLogNamesTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := logged()
		b := board.New()
		_, stop := watched(t, b, WithLogger(log))
		w, err := b.MustRegister(board.Spec{ID: "billing"}).Worker("two")
		if err != nil {
			t.Fatal(err)
		}
		w.Fault(nil)
		time.Sleep(tick)
		if got := records(t); len(got) != 1 || got[0]["worker"] != "two" {
			t.Errorf("records = %v", got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestLogMisfit: a later registration whose interval is longer than the policy's
// bound is judged by the interval, and logged once.
func TestLogMisfit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := logged()
		b := board.New()
		m, stop := watched(t, b, WithLogger(log), WithPolicy(Policy{StaleAfter: second}))
		p := b.MustRegister(board.Spec{ID: "slow", Interval: 10 * second})
		p.Beat()
		b.MustRegister(board.Spec{ID: "quick", Interval: second}).Idle()
		time.Sleep(10 * second)
		if v, _ := m.Verdict("slow"); v.Reason != Running || v.Bound != 10*second {
			t.Errorf("verdict = %+v", v)
		}
		time.Sleep(time.Nanosecond)
		if v, _ := m.Verdict("slow"); v.Reason != Stale {
			t.Errorf("verdict = %+v", v)
		}
		var misfits []map[string]any
		for _, r := range records(t) {
			if strings.HasPrefix(r["msg"].(string), "policy") {
				misfits = append(misfits, r)
			}
		}
		want := []map[string]any{{
			"level": "WARN", "msg": "policy is shorter than a processor's interval, using the interval",
			"processor": "slow", "interval": 1e10,
			"err": "StaleAfter 1s: must not be shorter than the interval 10s",
		}}
		if diff := cmp.Diff(want, misfits); diff != "" {
			t.Error(diff)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestLogOfFailures: a hook that fails is told to the logger.
func TestLogOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := logged()
		b := board.New()
		_, stop := watched(t, b, WithLogger(log), WithTransitions(func(t Transition) {
			if t.To.Key == "P" {
				panic("broken hook")
			}
			runtime.Goexit()
		}))
		b.MustRegister(board.Spec{ID: "P"}).Beat()
		b.MustRegister(board.Spec{ID: "Q"}).Beat()
		time.Sleep(tick)
		var failures []string
		for _, r := range records(t) {
			if r["level"] == "ERROR" {
				failures = append(failures, r["msg"].(string))
			}
			if stack, ok := r["stack"].(string); ok && !strings.Contains(stack, "TestLogOfFailures") {
				t.Errorf("the stack is not the hook's: %s", stack)
			}
		}
		if diff := cmp.Diff([]string{"a transition hook panicked", "a transition hook called runtime.Goexit"}, failures); diff != "" {
			t.Error(diff)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// brokenHandler is a slog.Handler that fails, each time in another way.
type brokenHandler struct{ calls *int }

func (h brokenHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h brokenHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h brokenHandler) WithGroup(string) slog.Handler            { return h }
func (h brokenHandler) Handle(context.Context, slog.Record) error {
	switch *h.calls++; *h.calls % 3 {
	case 0:
		panic("disk full")
	case 1:
		runtime.Goexit()
	}
	return errors.New("disk full")
}

// TestLoggerFails: a logger that fails takes nothing with it but the news that
// it was given.
func TestLoggerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls int
		b := board.New()
		m, stop := watched(t, b, WithLogger(slog.New(brokenHandler{&calls})))
		for i := range 50 {
			b.MustRegister(board.Spec{ID: string(rune('A' + i))}).Fault(nil)
		}
		time.Sleep(second)
		synctest.Wait()
		if calls < 50 {
			t.Errorf("%d calls of the handler", calls)
		}
		if v, _ := m.Verdict("A"); v.Reason != Faulted {
			t.Errorf("verdict = %v", v.Reason)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
