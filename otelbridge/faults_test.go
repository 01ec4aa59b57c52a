package otelbridge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestManyProcessorsAndTheLimit: past the SDK's default limit series are folded.
// The faulted processors are not among them wherever they stand in the order,
// the sums count all, and the documented option brings all back (fault 49).
func TestManyProcessorsAndTheLimit(t *testing.T) {
	const n = 10_000
	b := board.New()
	faulted := []string{"00000", "05000", "09999"}
	for i := range n {
		b.MustRegister(board.Spec{ID: fmt.Sprintf("%05d", i)})
	}
	src := otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}}
	r := newRig(t, src)
	all := newRigOf(t, src, []sdkmetric.Option{sdkmetric.WithCardinalityLimit(4 * n)})
	for _, key := range faulted {
		b.Remove(key)
		b.MustRegister(board.Spec{ID: key}).Fault(nil)
	}

	s := r.collect(t)
	if folded := s.with("liveness.processor.status{otel.metric.overflow=true"); len(folded) != 1 {
		t.Errorf("%d overflow series, want 1: the SDK's limit is no longer what the documentation says", len(folded))
	}
	for _, key := range faulted {
		s.want(t, "liveness.processor.status{processor="+key+",status=unhealthy}", 1)
		s.want(t, "liveness.processor.reason{processor="+key+",reason=faulted}", 1)
	}
	s.want(t, "liveness.board.processors{status=unhealthy}", 3)
	s.want(t, "liveness.board.processors{status=healthy}", n-3)

	for _, m := range all.metrics(t) {
		if got := len(pointsOf(m.Data)); m.Name == "liveness.processor.status" && got != 3*n {
			t.Errorf("%d status series with a limit of %d, want %d", got, 4*n, 3*n)
		}
	}
}

// TestCollectionsWhileRegisteringConcurrentSafe: readers collect while
// processors come, beat, fault and go. No collection has a series twice, none
// fails, and those that stay are in all of them (fault 50).
func TestCollectionsWhileRegisteringConcurrentSafe(t *testing.T) {
	scrapes := 20
	if os.Getenv("LOOPVITALS_SOAK") != "" {
		scrapes = 100_000
	}
	b := board.New()
	stays := b.MustRegister(board.Spec{ID: "m"})
	set := tiers.New()
	m := newMonitor(t, b)
	must(t, set.AddReady("processors", m))
	r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}, Tiers: set})

	ctx, cancel := context.WithCancel(t.Context())
	var churn sync.WaitGroup
	for worker := range 3 {
		churn.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				loop := b.MustRegister(board.Spec{ID: fmt.Sprint(worker, "a", n%7)})
				loop.BeatLag(int64(n))
				stays.Beat()
				if n%5 == 0 {
					loop.Fault(nil)
					loop = loop.Restart()
				}
				loop.Close()
				set.Evaluate(ctx, tiers.Ready)
			}
		})
	}
	var readers sync.WaitGroup
	for _, read := range []func(testing.TB) samples{r.collect, r.gather, r.gather} {
		readers.Go(func() {
			for range scrapes {
				holds := 0.0
				for series, value := range read(t) {
					if strings.Contains(series, "status{processor=m,") {
						holds += value
					}
				}
				if holds != 1 {
					t.Errorf("m has %v statuses that hold", holds)
					return
				}
			}
		})
	}
	readers.Wait()
	cancel()
	churn.Wait()
	s := r.collect(t)
	for worker := range 3 {
		s.absent(t, fmt.Sprintf("processor=%da", worker))
	}
}

// TestNoSecretIsExported: causes of faults, errors, panics and data stay where
// they are (fault 51).
func TestNoSecretIsExported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const canary = "postgres://admin:hunter2@db"
		secret := errors.New(canary)
		b := board.New()
		b.MustRegister(board.Spec{ID: "one", Details: board.Details{Description: canary, Owner: canary, Runbook: canary}}).Fault(secret)
		w, err := b.MustRegister(board.Spec{ID: "two"}).Worker("w")
		must(t, err)
		w.Fault(secret)
		m := newMonitor(t, b)
		set := tiers.New()
		must(t,
			set.AddReady("processors", m),
			set.AddReady("error", check.Ping(func(context.Context) error { return secret })),
			set.AddReady("words", check.Func(func(context.Context) check.Result {
				return check.Result{Description: canary, Err: secret, Data: map[string]any{canary: canary}}
			})),
			set.AddReady("panic", check.Func(func(context.Context) check.Result { panic(secret) })),
		)
		r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}, Tiers: set})
		evaluate(t, set, tiers.Ready)
		for _, where := range []string{fmt.Sprint(r.metrics(t)), r.scrape(t)} {
			if strings.Contains(where, "hunter2") {
				t.Errorf("the secret was exported: %s", where)
			}
			if !strings.Contains(where, "faulted") || !strings.Contains(where, "panic") {
				t.Errorf("what failed was not exported: %s", where)
			}
		}
	})
}

// TestHostileIDs: whatever a board, a registration and a set take, the scrape
// stays whole, and no name makes a series of its own (fault 48).
func TestHostileIDs(t *testing.T) {
	ids := []string{
		"", "a\xffb", "\xed\xa0\x80", "line\nbreak", "carriage\rreturn", "null\x00", "esc\x1b[31m", "\u202eright to left", "zero\u200bwidth", "line\u2028separator",
		strings.Repeat("x", 1<<20), strings.Repeat("x", 200), strings.Repeat("é", 100),
		`quote"`, `back\slash`, `back\nslash`, `{brace}`, `a="b"`, `"} 1` + " fake 2", `",status="unhealthy`, "# HELP liveness x",
		"<script>alert(1)</script>", "a::rebuild::1", "%s%n", "${jndi:ldap://x}", "日本語", "🚀", " ", "a b", "NaN", "otel.metric.overflow", "__name__",
	}
	b := board.New()
	set := tiers.New()
	taken := map[string]bool{}
	for _, id := range ids {
		loop, err := b.Register(board.Spec{ID: id})
		checkErr := set.AddReady(id, answer(check.Healthy, 0))
		if err == nil {
			taken[id] = true
			loop.Beat()
		}
		if err == nil && checkErr != nil {
			t.Errorf("%q: a processor may be called so and a check may not: %v", id, checkErr)
		}
	}
	if len(taken) < 15 || len(taken) == len(ids) {
		t.Fatalf("%d of %d ids taken", len(taken), len(ids))
	}
	r := newRig(t, otelbridge.Sources{Monitors: []*liveness.Monitor{newMonitor(t, b)}, Tiers: set})
	s := r.gather(t)
	for id := range taken {
		s.want(t, "liveness_processor_status{processor="+id+",status=healthy}", 1)
	}
	if got := len(s.with("liveness_processor_heartbeats_total")); got != len(taken) {
		t.Errorf("%d processors in the scrape, want %d", got, len(taken))
	}
	text := r.scrape(t)
	if _, err := promlint.New(strings.NewReader(text)).Lint(); err != nil {
		t.Errorf("the scrape does not parse: %v", err)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "liveness_") && !strings.HasPrefix(line, "health_") {
			t.Errorf("a line that no metric wrote: %q", line)
		}
	}
}
