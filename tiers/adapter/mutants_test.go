//go:build linux && !race

package adapter

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A mutant is the adapter with one of its rules broken: in a file, each old text,
// which must be there exactly once, is replaced by the one that follows it.
type mutant struct {
	rule  string
	test  string // which must fail
	file  string
	edits []string
}

// mutants break the rules one by one. A test must see each of them: else it proves
// nothing. The first is tried in every run.
var mutants = []mutant{
	{"S2.11: the age is counted from the end of the sample", "TestAgeStartsWithTheSample", "sampler.go", []string{
		"	s.ended = a.now()\n", "	s.ended = a.now()\n	s.started = s.ended\n",
	}},
	{"X18: what is exactly as old as it may be is stale", "TestAgeBound", "standing.go", []string{
		"<= maximumAge", "< maximumAge",
	}},
	{"A7: a failed sample keeps the good one", "TestFailedSampleReplacesAGoodOne", "sampler.go", []string{
		"	a.standing.Store(&result.standing)\n", "	if result.err == nil {\n		a.standing.Store(&result.standing)\n	}\n",
	}},

	{"S2.11: the age is tested when the sample comes only", "TestHungSampleKeepsTheOldOne", "adapter.go", []string{
		"s.holds(e, a.now(), a.config.MaximumAge)", "s.holds(e, 0, a.config.MaximumAge)",
	}},
	{"S2.11: the node's own age is ignored", "TestNodeAgeIsAdded", "assess.go", []string{
		"s.started.less(nodeAge(d.Sampled.AgeMs))", "s.started",
	}},
	{"X27: the age is that of the node's calendar", "TestSampledAtIsForPeople", "assess.go", []string{
		"from := s.started.less(nodeAge(d.Sampled.AgeMs))",
		"at, _ := time.Parse(time.RFC3339, d.Sampled.At)\n	from := s.started.less(time.Since(at))",
	}},
	{"X27: the clock is the calendar's", "TestClockIsNotTheCalendars", "instant_linux.go", []string{
		"ClockGettime(unix.CLOCK_BOOTTIME", "ClockGettime(unix.CLOCK_REALTIME",
	}},
	{"S2.3: a stale document closes the latch", "TestStaleWhenItComes", "assess.go", []string{
		"	if result.age = s.ended.since(from)", "	a.latch.see(d.Identity.Instance, result.ready)\n	if result.age = s.ended.since(from)",
	}},
	{"S2.3: the identity may be any", "TestJudgeAllCombinations", "judge.go", []string{
		"case d.Identity.Node != node:", "case d.Identity.Node == \"\":",
	}},
	{"S2.3: pressure may be unknown", "TestJudgeAllCombinations", "judge.go", []string{
		"case !d.Pressure.Available:", "case false:",
	}},
	{"S2.4: readiness ignores the node's own", "TestJudgeAllCombinations", "judge.go", []string{
		"case !d.Activation.Ready:", "case false:",
	}},
	{"S2.5: liveness needs capacity", "TestFullNode", "judge.go", []string{
		"verdict{live: true, lacks: lacksCapacity}", "verdict{lacks: lacksCapacity}",
	}},
	{"S2.5: liveness ignores ownership", "TestJudgeAllCombinations", "judge.go", []string{
		"case !d.Native.Owner:", "case false:",
	}},
	{"S2.6: the latch survives the node's life", "TestLatch", "latch.go", []string{
		"*l = latch{instance: instance}", "l.instance = instance",
	}},
	{"S2.6: another node's life opens the latch", "TestStartupNeedsThePresent", "assess.go", []string{
		"		return result // another node's life opens no latch\n", "",
	}},
	{"S2.6: startup ignores the present", "TestStartupNeedsThePresent", "assess.go", []string{
		"a.latch.closed && result.live", "a.latch.closed",
	}},
	{"S2.14: the pause is counted from the start", "TestPauseIsCountedFromTheEnd", "sampler.go", []string{
		"	for !a.stopped() {\n", "	for !a.stopped() {\n		began := a.now()\n",
		"		if !a.rest() {\n", "		a.config.Pause = max(maxPause-a.now().since(began), 0)\n		if !a.rest() {\n",
	}},
	{"A13: nobody is told of slow samples", "TestSlowEpisodes", "journal.go", []string{
		"return nodeAge+took+c.Pause+took < c.MaximumAge", "return true",
	}},
}

// TestMutantsDie builds each mutant and requires that its test fails. make soak tries
// them all, and the first also with real processes.
func TestMutantsDie(t *testing.T) {
	t.Parallel()
	tried := mutants
	if !soak {
		tried = mutants[:1]
	}
	for _, m := range tried {
		t.Run(strings.ReplaceAll(m.rule, " ", "-"), func(t *testing.T) { m.mustDie(t, m.test) })
	}
	if soak {
		t.Run("with real processes", func(t *testing.T) { mutants[0].mustDie(t, "TestNoOldSuccess") })
	}
	t.Logf("%d of %d mutants tried", len(tried), len(mutants))
}

// mustDie runs a test of a mutant, in its short form.
func (m mutant) mustDie(t *testing.T, test string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), m.build(t), "-test.run=^"+test+"$", "-test.timeout=120s")
	command.Env = append(command.Environ(), "LOOPVITALS_SOAK=")
	output, err := command.CombinedOutput()
	death := deaths.Find(output)
	if err == nil || death == nil {
		t.Fatalf("alive: %v\n%s", err, output)
	}
	t.Logf("%s", death)
}

// deaths is how the test binary says that a test failed.
var deaths = regexp.MustCompile(`--- FAIL: .*\n +\S+\.go:.*|    \S+_test\.go:\d+: .*`)

// build compiles the package's tests with the mutant in place of the original.
func (m mutant) build(t *testing.T) (binary string) {
	t.Helper()
	original, err := filepath.Abs(m.file)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for i := 0; i < len(m.edits); i += 2 {
		if n := strings.Count(text, m.edits[i]); n != 1 {
			t.Fatalf("%s contains %d times, not once:\n%s", m.file, n, m.edits[i])
		}
		text = strings.Replace(text, m.edits[i], m.edits[i+1], 1)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, m.file)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{changed: []byte(text), filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary = filepath.Join(dir, "mutant.test")
	command := exec.CommandContext(t.Context(), "go", "test", "-c",
		"-overlay="+filepath.Join(dir, "overlay.json"), "-ldflags=-s -w", "-o="+binary, ".")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}
