//go:build !race

package casmember_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A mutant is the node with one of its rules broken: in a file, each old text,
// which must be there exactly once, is replaced by the one that follows it.
type mutant struct {
	rule  string
	file  string
	edits []string
}

// mutants break the rules one by one. The schedules must see each of them: else
// they prove nothing.
var mutants = []mutant{
	{"F1b: a node enters its own view before the watch shows it", "heart.go", []string{
		"	n.life.acknowledge(sent, n.config.claim(), revision)\n",
		"	n.life.acknowledge(sent, n.config.claim(), revision)\n	if r := n.life.record; r.status == cluster.Up && n.roster.entries[n.life.name] != nil {\n		n.roster.entries[n.life.name].record = r\n		n.life.entered, n.life.witness = true, n.roster.since\n	}\n",
	}},
	{"F1: the age is the revision at which the node joined", "life.go", []string{
		"	if l.rising && l.record.status == cluster.Joining {\n		l.record.status, l.record.age = cluster.Up, revision\n",
		"	if l.revision == 0 {\n		l.record.age = revision\n	}\n	if l.rising && l.record.status == cluster.Joining {\n		l.record.status = cluster.Up\n",
	}},
	{"F1: the step to Up is taken with another write on its way", "life.go", []string{
		"upIsDue && l.revision != 0 && l.sure {", "upIsDue && l.revision != 0 {",
	}},
	{"a newcomer is Up at once", "view.go", []string{
		"return n.roster.synced && now >= n.roster.since.Add(n.config.TTL)", "return n.roster.synced",
		"	case now < n.witnessed():\n		return cluster.Joining\n", "",
	}},
	{"F3: the fence is counted from the answer", "heart.go", []string{
		"n.life.acknowledge(sent, n.config.claim(), revision)", "n.life.acknowledge(now, n.config.claim(), revision)",
	}},
	{"F3: there is no margin, and clocks differ", "config.go", []string{
		"return c.TTL - c.Margin", "return c.TTL + c.TTL/50",
	}},
	{"F4: what is in doubt is written again, and not read", "heart.go", []string{
		"	return n.life.doubt\n", "	return false\n",
	}},
	{"F4: a write that has failed counts", "heart.go", []string{
		"		n.life.fail()\n		return err\n", "		n.life.fail()\n		n.life.fence = sent.Add(n.config.claim())\n		return err\n",
	}},
	{"F4: a record that is gone is made again with its age", "heart.go", []string{
		"	n.begin()\n", "	age := n.life.record.age\n	n.begin()\n	if age != 0 {\n		n.life.record.status, n.life.record.age = cluster.Up, age\n	}\n",
	}},
	{"F5: silence is too short", "roster.go", []string{
		"return max(x.seen, awake).Add(max(ttl, x.record.ttl))", "return max(x.seen, awake).Add(max(ttl, x.record.ttl) / 2)",
	}},
	{"F5: silence is by the own TTL alone", "roster.go", []string{
		"Add(max(ttl, x.record.ttl))", "Add(ttl)",
	}},
	{"F5: silence goes on while this node itself was fenced", "roster.go", []string{
		"max(x.seen, awake)", "x.seen",
	}},
	{"F5: the eviction is unconditional", "keeper.go", []string{
		"		return n.kv.Delete(ctx, t.name, t.revision)\n",
		"		revision, err := n.kv.Get(ctx, t.name)\n		if err != nil {\n			return err\n		}\n		return n.kv.Delete(ctx, t.name, revision)\n",
	}},
	{"F5: nobody evicts", "keeper.go", []string{
		"mayEvict := now <", "mayEvict := false && now <",
	}},
	{"F6: no hold after a removal", "roster.go", []string{
		"x.remove(now, x.seen.Add(x.record.ttl))", "x.remove(now, now)",
	}},
	{"F6: no hold after a removal that a list shows", "roster.go", []string{
		"			x.remove(now, now.Add(x.record.ttl))\n", "			x.remove(now, now)\n",
	}},
	{"F6: a removal that a list shows counts from what was seen last", "roster.go", []string{
		"			x.remove(now, now.Add(x.record.ttl))\n", "			x.remove(now, x.seen.Add(x.record.ttl))\n",
	}},
	{"F6: a deletion that is told again counts from what was seen last", "roster.go", []string{
		"(!x.gone || x.unproven)", "x.hold >= 0",
	}},
	{"F6: no hold after an eviction that finds nothing", "keeper.go", []string{
		"x.vanish(now)", "x.remove(now, now)",
	}},
	{"F7: the others are told before the work is done", "leave.go", []string{
		"	n.drain(ctx)\n", "",
	}},
	{"F7: the others are told before the node has stopped", "view.go", []string{
		"	case n.demoted:\n		return cluster.Leaving\n", "",
	}},
	{"a list is believed before it is complete", "roster.go", []string{
		"		if r.listing != nil {\n			r.listing[e.Key] = t\n		} else {\n			r.put(now, e.Key, t)\n		}\n", "		r.listing[e.Key] = t\n		r.put(now, e.Key, t)\n",
	}},
}

// TestMutantsDie builds each mutant and requires that 400 random schedules show
// it, or else the tests of single rules.
func TestMutantsDie(t *testing.T) {
	if os.Getenv("LOOPVITALS_SEED") != "" {
		return // one schedule is looked at
	}
	var bySchedules atomic.Int32
	t.Run("mutants", func(t *testing.T) {
		for _, m := range mutants {
			t.Run(strings.ReplaceAll(m.rule, " ", "-"), func(t *testing.T) {
				t.Parallel()
				binary := m.build(t)
				death, alive := verdict(t, binary, "-test.run=^TestSchedules$")
				if !alive {
					bySchedules.Add(1)
				} else if death, alive = verdict(t, binary, "-test.skip=^Test(Schedules|MutantsDie)$"); alive {
					t.Fatal("alive")
				}
				t.Log(death)
			})
		}
	})
	t.Logf("%d mutants, %d died within 400 random schedules", len(mutants), bySchedules.Load())
	if bySchedules.Load() < 14 {
		t.Error("at least 14 must")
	}
}

// verdict runs tests of a mutant and tells how it died.
func verdict(t *testing.T, binary, tests string) (death string, alive bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, tests, "-test.failfast", "-test.timeout=120s")
	command.Env = append(command.Environ(), "LOOPVITALS_SCHEDULES=400")
	output, err := command.CombinedOutput()
	for _, how := range deaths {
		if death = string(how.Find(output)); death != "" {
			break
		}
	}
	return death, err == nil
}

// deaths are how the test binary says that it failed, the one that tells most
// first.
var deaths = []*regexp.Regexp{
	regexp.MustCompile(`schedule \d+, .*\n.*`),
	regexp.MustCompile(`(?m)^(panic|fatal error): .*`),
	regexp.MustCompile(`    --- FAIL: .*\n.*`),
	regexp.MustCompile(`--- FAIL: .*\n.*`),
}

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
