package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// What is printed about the rules is true: they are those that ship, but for the
// parameters named.
func TestRulesDifferAsTold(t *testing.T) {
	r, err := shortRules()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.tell(&out); err != nil {
		t.Fatal(err)
	}
	shipped, err := mixin.New(mixin.Config{Selector: r.config.Selector, SilentAfter: r.config.SilentAfter})
	if err != nil {
		t.Fatal(err)
	}
	for i, group := range shipped.Groups {
		for j, rule := range group.Rules {
			short := r.made.Groups[i].Rules[j]
			if rule.Alert != short.Alert || !maps.Equal(rule.Annotations, short.Annotations) || !maps.Equal(rule.Labels, short.Labels) {
				t.Errorf("%s differs in what it says", rule.Alert)
			}
			switch told := strings.Contains(out.String(), "For["+rule.Alert+"]"); {
			case rule.Expr != short.Expr:
				t.Errorf("%s%s has another expression", rule.Alert, rule.Record)
			case told != (rule.For != short.For) || rule.For < short.For:
				t.Errorf("%s: for %v, shipped %v, and told is %v", rule.Alert, short.For, rule.For, told)
			}
		}
	}
	for _, want := range []string{fmt.Sprintf("all %d alerts", alerts(shipped)), "For[LivenessProcessorStale]        2s, shipped 30s\n", "SilentAfter                        10s, shipped 2m0s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing of %q in\n%s", want, &out)
		}
	}
}

func TestBeatsAreRead(t *testing.T) {
	got := parseBeats(`# TYPE liveness_processor_heartbeats_total counter
liveness_processor_heartbeats_total{processor="orders"} 542
liveness_processor_heartbeats_total{processor="billing::rebuild::2"} 1.5e+06
liveness_processor_lag{processor="orders"} 3
`)
	if want := map[string]uint64{"orders": 542, "billing::rebuild::2": 1_500_000}; !maps.Equal(got, want) {
		t.Errorf("beats %v, want %v", got, want)
	}
}

func TestLabelsReadLikeASelector(t *testing.T) {
	l := named("A").with("job", "x").with("board", "b")
	if got := l.String(); got != `A{board="b", job="x"}` {
		t.Error(got)
	}
	if !slices.Equal(slices.Sorted(maps.Keys(named("A"))), []string{"alertname"}) {
		t.Error("with changes what it was called on")
	}
}

func TestAlertsAreDescribed(t *testing.T) {
	got := describe([]promtest.Alert{
		{Labels: named("B"), State: "pending"},
		{Labels: named("A").with("job", "x"), State: "firing"},
	})
	if want := "A{job=\"x\"} firing\n            B{} pending"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := describe(nil); got != "no alerts" {
		t.Error(got)
	}
	if got := lastLines("first\n" + strings.Repeat("more\n", 15)); strings.Count(got, "\n") != 14 || strings.Contains(got, "first") {
		t.Errorf("%q", got)
	}
}

func TestAConsumerThatDoesNotStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, program := range []string{filepath.Join(dir, "missing"), os.Args[0]} { // the second does not serve
		if c, err := startConsumer(t.Context(), program, nil, "-test.run=^$"); err == nil {
			t.Errorf("%s: started %v", program, c)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
