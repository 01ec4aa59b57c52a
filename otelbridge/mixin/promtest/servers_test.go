package promtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// startContext bounds the start of a server. Compiling it is part of that, and
// takes minutes the first time.
func startContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestPrometheusAnswersAndLeavesNothing(t *testing.T) {
	p, err := StartPrometheus(startContext(t), PrometheusSetup{
		Config: "global: {evaluation_interval: 100ms}\nrule_files: [rules.yml]\n",
		Rules: `{"groups": [{"name": "g", "rules": [
			{"alert": "Always", "expr": "vector(7)", "labels": {"severity": "none"}, "annotations": {"summary": "is {{ $value }}"}},
			{"record": "twin", "expr": "up or on (a) label_replace(vector(1), \"a\", \"b\", \"\", \"\")"},
			{"record": "clash", "expr": "label_replace(vector(1), \"__name__\", \"clash\", \"\", \"\") + on () group_left () (vector(1) or label_replace(vector(1), \"x\", \"y\", \"\", \"\"))"}
		]}]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(p.folder); !os.IsNotExist(err) {
			t.Errorf("the folder is still there: %v", err)
		}
		select {
		case <-p.Ended():
		default:
			t.Error("the process runs")
		}
	}()

	health := map[string]string{}
	eventually(t, "every rule was evaluated", func() bool {
		rules, err := p.Rules(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			health[r.Name] = r.Health
		}
		return len(health) == 3 && health["Always"] != "unknown" && health["twin"] != "unknown" && health["clash"] != "unknown"
	})
	if health["Always"] != "ok" || health["twin"] != "ok" || health["clash"] != "err" {
		t.Errorf("health %v: only clash is wrong", health)
	}
	alerts, err := p.Alerts(t.Context())
	if err != nil || len(alerts) != 1 || alerts[0].Labels["alertname"] != "Always" || alerts[0].State != "firing" ||
		alerts[0].Annotations["summary"] != "is 7" || alerts[0].ActiveAt.IsZero() {
		t.Errorf("alerts %v, %v", alerts, err)
	}
	samples, err := p.Query(t.Context(), `label_replace(vector(1.5), "a", "b", "", "")`)
	if err != nil || len(samples) != 1 || samples[0].Value != 1.5 || samples[0].Labels["a"] != "b" {
		t.Errorf("samples %v, %v", samples, err)
	}
	for expr, want := range map[string]string{"up[5m]": "a matrix, must be a vector", "up +": "400 Bad Request"} {
		if _, err := p.Query(t.Context(), expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", expr, err, want)
		}
	}
}

func TestAServerThatDoesNotStartShowsItsLog(t *testing.T) {
	ctx, dir := startContext(t), t.TempDir()
	for _, program := range []string{PrometheusProgram, AlertmanagerProgram} {
		if _, err := Build(ctx, program); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", dir)
	_, err := StartPrometheus(ctx, PrometheusSetup{Config: "globe: {}"})
	if err == nil || !strings.Contains(err.Error(), "field globe not found") {
		t.Errorf("prometheus: %v", err)
	}
	_, err = StartAlertmanager(ctx, "route: {receiver: nobody}")
	if err == nil || !strings.Contains(err.Error(), `undefined receiver \"nobody\"`) {
		t.Errorf("alertmanager: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAlertmanagerStarts(t *testing.T) {
	a, err := StartAlertmanager(startContext(t), "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
	if err != nil {
		t.Fatal(err)
	}
	body, err := a.Get(t.Context(), "/api/v2/alerts")
	if err != nil || strings.TrimSpace(string(body)) != "[]" {
		t.Errorf("alerts %s, %v", body, err)
	}
	if err := a.Stop(); err != nil {
		t.Error(err)
	}
}

func TestAwaitSeesTheEndOfTheProcess(t *testing.T) {
	path, err := Build(startContext(t), PromtoolProgram)
	if err != nil {
		t.Fatal(err)
	}
	p, err := StartProcess("promtool", exec.CommandContext(t.Context(), path, "no-such-command"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Await(startContext(t), regexp.MustCompile(`(never printed)`))
	for _, want := range []string{"promtool ended before it could print (never printed): exit status", "no-such-command"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := p.Stop(); err == nil {
		t.Error("Stop says that all was well")
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var log tail
	line := strings.Repeat("x", 99) + "\n"
	for range 2 * tailBytes / len(line) {
		_, _ = log.Write([]byte(line))
	}
	if got := len(log.String()); got > 2*tailBytes || got < 2*tailBytes-len(line) {
		t.Errorf("%d bytes, want all of them", got)
	}
	_, _ = log.Write([]byte(line + "the end\n"))
	if got := log.String(); len(got) > tailBytes || !strings.HasPrefix(got, "x") || len(strings.SplitN(got, "\n", 2)[0]) != 99 ||
		!strings.HasSuffix(got, "the end\n") {
		t.Errorf("%d bytes: %.120s…", len(got), got)
	}
}

// eventually asks until yes.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !yes() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
