package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheCommandPrintsTheCommittedRules runs the command as users do.
func TestTheCommandPrintsTheCommittedRules(t *testing.T) {
	for file, args := range map[string][]string{
		"rules.yaml":          {"rules"},
		"prometheusrule.yaml": {"rules", "-format", "prometheusrule"},
	} {
		want, err := os.ReadFile("../../otelbridge/mixin/" + file)
		if err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "go", append([]string{"run", "-buildvcs=false", "."}, args...)...)
		var stderr bytes.Buffer
		command.Stderr = &stderr
		got, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", file, diff)
		}
		if !strings.Contains(stderr.String(), "LivenessJobAbsent is left out: it needs a selector") {
			t.Errorf("it does not say what is left out: %s", stderr.Bytes())
		}
	}
}

// TestArguments tries what can be said, and what cannot.
func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args   string // separated by single spaces
		exit   int
		stdout string // a part of it
		stderr string
	}{
		{"", 2, "", "usage: loopvitals <verb>"},
		{"help", 0, "print alert and recording rules", ""},
		{"-h", 0, "usage: loopvitals <verb>", ""},
		{"nonsense", 2, "", `verb "nonsense": must be`},
		{"rules -h", 0, "-silent-after duration", ""},
		{"help rules", 0, "-silent-after duration", ""},
		{"rules -nonsense", 2, "", "-nonsense"},
		{"rules more", 2, "", `argument "more": must be a flag`},

		{`rules -selector job="orders" -prefix otopcua.`, 0, `otopcua_liveness_processor_faults_total{job="orders"}`, ""},
		{`rules -selector job="orders" -targets role="x"`, 0, `min by (job, instance) (up{job="orders",role="x"}) == 0`, ""},
		{`rules -selector job="orders" -runbook-url https://example.com/r`, 0, `runbook_url: "https://example.com/r#livenesswatchdog"`, ""},
		{"rules -silent-after 3m", 0, "> 180\n", "left out"},
		{"rules -silent-window 20m", 0, "[20m:1m]", "left out"},
		{"rules -stalled-after 20m", 0, "offset 20m\n", "left out"},
		{"rules -lag-window 20m -lag-growth 0.5", 0, "[20m])) > 0.5\n", "left out"},
		{"rules -crash-window 20m -crash-faults 3", 0, "[20m]))) >= 3\n", "left out"},
		{"rules -observer-late 5s", 0, "lateness_seconds) > 5\n", "left out"},
		{"rules -flap-window 20m -flap-changes 9", 0, "_total[20m])\n          ) > 9\n", "left out"},
		{"rules -lost-window 20m -lost-requests 9", 0, "_total[20m]))\n          ) > 9\n", "left out"},
		{"rules -for LivenessWatchdog=7m -for LivenessTargetDown=8m", 0, "for: 7m\n", "left out"},
		{"rules -severity LivenessWatchdog=x -severity LivenessTargetDown=y", 0, "severity: \"x\"\n", "left out"},
		{"rules -format prometheusrule -name n -namespace s -label a=b -label c=", 0, "  name: \"n\"\n  namespace: \"s\"\n  labels:\n    a: \"b\"\n    c: \"\"\n", "left out"},

		{"rules -selector job", 2, "", "Selector"},
		{"rules -prefix x", 2, "", "Prefix"},
		{"rules -silent-after 1s", 2, "", "SilentAfter 1s: must be"},
		{"rules -silent-after soon", 2, "", "silent-after"},
		{"rules -for LivenessWatchdog", 2, "", "must be a key"},
		{"rules -for LivenessWatchdog=soon", 2, "", `duration "soon": must be`},
		{"rules -for x=5m", 2, "", `For "x": must be`},
		{"rules -severity =x", 2, "", "must be a key"},
		{"rules -without x", 2, "", `Without "x": must be`},
		{"rules -format json", 2, "", `format "json": must be rules or prometheusrule`},
		{"rules -name n", 2, "", "must go with -format prometheusrule"},
		{"rules -format prometheusrule -name N", 2, "", `Name "N": must be`},
	} {
		var stdout, stderr bytes.Buffer
		exit := run(strings.Fields(c.args), &stdout, &stderr)
		if exit != c.exit {
			t.Errorf("%s: exit %d, want %d", c.args, exit, c.exit)
		}
		if !strings.Contains(stdout.String(), c.stdout) || c.stdout == "" && stdout.Len() > 0 {
			t.Errorf("%s: want %q in the output, got\n%s", c.args, c.stdout, stdout.Bytes())
		}
		if !strings.Contains(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%s: want %q in the errors, got\n%s", c.args, c.stderr, stderr.Bytes())
		}
	}
}

// TestWithout leaves two alerts out.
func TestWithout(t *testing.T) {
	var stdout, stderr bytes.Buffer
	exit := run(strings.Fields("rules -without LivenessWatchdog -without LivenessTargetDown"), &stdout, &stderr)
	if exit != exitOK || strings.Contains(stdout.String(), `alert: "LivenessWatchdog"`) ||
		strings.Contains(stdout.String(), `alert: "LivenessTargetDown"`) || !strings.Contains(stdout.String(), `alert: "HealthTierUnhealthy"`) {
		t.Errorf("exit %d\n%s", exit, stdout.Bytes())
	}
}

// TestOutputThatCannotBeWritten is an error, so that no empty file passes for
// rules.
func TestOutputThatCannotBeWritten(t *testing.T) {
	var stderr bytes.Buffer
	if exit := run([]string{"rules"}, full{}, &stderr); exit != exitUsage || !strings.Contains(stderr.String(), "disk full") {
		t.Errorf("exit %d: %s", exit, stderr.Bytes())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestDocumentedFlagsExist takes the flags out of the operations guide.
func TestDocumentedFlagsExist(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(guide), "\n## Alerts\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	var f rulesFlags
	set := f.flagSet()
	named := regexp.MustCompile("`-([a-z-]+)").FindAllStringSubmatch(chapter, -1)
	if len(named) < 10 {
		t.Errorf("the guide names only %d flags", len(named))
	}
	for _, m := range named {
		if set.Lookup(m[1]) == nil {
			t.Errorf("docs/operations.md names -%s", m[1])
		}
	}
	set.VisitAll(func(f *flag.Flag) {
		if f.Usage == "" {
			t.Errorf("-%s has no text", f.Name)
		}
	})
}
