package prom_test

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
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestHostileIDs: whatever a board, a registration and a set take, the scrape
// stays whole, and no name makes a series of its own (fault 48).
func TestHostileIDs(t *testing.T) {
	ids := []string{
		"", "a\xffb", "\xed\xa0\x80", "line\nbreak", "carriage\rreturn", "null\x00", "esc\x1b[31m", "\u202eright to left", "zero\u200bwidth", "line\u2028separator",
		strings.Repeat("x", 1<<20), strings.Repeat("x", 200), strings.Repeat("é", 100), strings.Repeat(`"`, 200), strings.Repeat(`\`, 200),
		`quote"`, `back\slash`, `back\nslash`, `ends in \`, `{brace}`, `a="b"`, `"} 1` + " fake 2", `",status="unhealthy`, "# HELP liveness x", "# EOF",
		"<script>alert(1)</script>", "a::rebuild::1", "%s%n", "${jndi:ldap://x}", "日本語", "🚀", " ", "a b", "NaN", "+Inf", "__name__",
	}
	b := board.New(board.WithName(`shop "\`))
	set := tiers.New()
	taken := map[string]bool{}
	for _, id := range ids {
		loop, err := b.Register(board.Spec{ID: id})
		if err == nil {
			taken[id] = true
			loop.Beat()
		}
		_ = set.AddReady(id, check.Ping(func(context.Context) error { return nil }))
	}
	if len(taken) < 15 || len(taken) == len(ids) {
		t.Fatalf("%d of %d ids taken", len(taken), len(ids))
	}
	r := newRig(t, otelbridge.Sources{Monitors: monitors(t, b).Monitors, Tiers: set})
	for name, text := range map[string]string{
		"handler":   get(t, r.exporter).Body.String(),
		"collector": exposed(t, r.collector, expfmt.FmtText),
	} {
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		must(t, err)
		found := map[string]bool{}
		for _, m := range families["liveness_processor_heartbeats_total"].GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "processor" {
					found[l.GetValue()] = true
				}
			}
		}
		for id := range taken {
			if !found[id] {
				t.Errorf("%s: %q is not in the scrape", name, id)
			}
		}
		if len(found) != len(taken) {
			t.Errorf("%s: %d processors, want %d", name, len(found), len(taken))
		}
		if _, err := promlint.New(strings.NewReader(text)).Lint(); err != nil {
			t.Errorf("%s: does not parse: %v", name, err)
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "# HELP ") && !strings.HasPrefix(line, "# TYPE ") && !strings.HasPrefix(line, "liveness_") && !strings.HasPrefix(line, "health_") {
				t.Errorf("%s: a line that no metric wrote: %q", name, line)
			}
		}
	}
	open := get(t, r.exporter, "Accept", openMetrics).Body.String()
	if strings.Count(open, "\n# EOF\n") != 1 || !strings.HasSuffix(open, "\n# EOF\n") {
		t.Error("an id ended the OpenMetrics text")
	}
}

// TestManyProcessors: ten thousand are all there, none folded, in bytes that grow
// with their number and no faster (fault 49).
func TestManyProcessors(t *testing.T) {
	const n = 10_000
	few, many := get(t, crowd(t, n/10)).Body.Len(), 0
	e := crowd(t, n)
	text := get(t, e).Body.String()
	many = len(text)
	if many > few*11 || many > n*12*130 {
		t.Errorf("%d processors take %d bytes, a tenth of them %d", n, many, few)
	}
	s := samplesOf(t, text)
	if len(s) != seriesOf(n) || s.count("liveness_processor_heartbeats_total") != n {
		t.Errorf("%d series, want %d", len(s), seriesOf(n))
	}
	s.want(t, "liveness_export_dropped_series", 0)
	families, err := pedantic(t, e).Gather()
	must(t, err)
	for _, f := range families {
		if f.GetName() == "liveness_processor_status" && len(f.GetMetric()) != 3*n {
			t.Errorf("the registry has %d series of status, want %d", len(f.GetMetric()), 3*n)
		}
	}
}

// TestScrapesWhileRegisteringConcurrentSafe: scrapes in both ways while processors
// come, beat, fault and go. None has a series twice, none fails, and those that
// stay are in all of them (fault 50).
func TestScrapesWhileRegisteringConcurrentSafe(t *testing.T) {
	scrapes := 40
	if os.Getenv("LOOPVITALS_SOAK") != "" {
		scrapes = 100_000
	}
	b := board.New()
	stays := b.MustRegister(board.Spec{ID: "m"})
	set := tiers.New()
	m := newMonitor(t, b)
	must(t, set.AddReady("processors", m))
	e := newExporter(t, otelbridge.Sources{Monitors: []*liveness.Monitor{m}, Tiers: set})
	registry := pedantic(t, e)

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
	handler := func() string { return get(t, e).Body.String() }
	zipped := func() string { return get(t, e, "Accept-Encoding", "gzip", "Accept", openMetrics).Body.String() }
	gathered := func() string { return exposed(t, registry, expfmt.FmtText) }
	var readers sync.WaitGroup
	for _, scrape := range []func() string{handler, handler, zipped, gathered} {
		readers.Go(func() {
			for range scrapes {
				s, holds := samplesOf(t, scrape()), 0.0
				for _, status := range []string{"healthy", "degraded", "unhealthy"} {
					holds += s[`liveness_processor_status{processor="m",status="`+status+`"}`]
				}
				if holds != 1 || t.Failed() {
					t.Errorf("m has %v statuses that hold", holds)
					return
				}
			}
		})
	}
	readers.Wait()
	cancel()
	churn.Wait()
	s := samplesOf(t, handler())
	for worker := range 3 {
		s.absent(t, fmt.Sprintf(`processor="%da`, worker))
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
		set := tiers.New()
		must(t,
			set.AddReady("words", check.Func(func(context.Context) check.Result {
				return check.Result{Description: canary, Err: secret, Data: map[string]any{canary: canary}}
			})),
			set.AddReady("panic", check.Func(func(context.Context) check.Result { panic(secret) })),
		)
		r := newRig(t, otelbridge.Sources{Monitors: monitors(t, b).Monitors, Tiers: set})
		evaluate(t, set, tiers.Ready)
		for _, text := range []string{get(t, r.exporter).Body.String(), exposed(t, r.collector, expfmt.FmtText)} {
			if strings.Contains(text, "hunter2") {
				t.Errorf("the secret was exported: %s", text)
			}
			if !strings.Contains(text, "faulted") || !strings.Contains(text, "panic") {
				t.Errorf("what failed was not exported: %s", text)
			}
		}
	})
}
