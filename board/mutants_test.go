//go:build loopvitals_yield && !race

package board_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A mutant is the board with one fault in it: in a file, each old text, which
// must be there exactly once, is replaced by the one that follows it.
type mutant struct {
	name  string
	file  string
	edits []string
}

// mutants are the ways to get a lock-free board wrong. The history tests must
// see each of them: else they prove nothing.
var mutants = []mutant{
	// Reading.
	{"a read does not look at the cell again", "read.go", []string{
		"		if c.look() != held {\n			return r.observeFull(now, o)\n		}\n", "",
	}},
	{"a read does not look at the word again", "read.go", []string{
		"		if r.load() != w {\n			return r.observeFull(now, o)\n		}\n", "",
	}},
	{"a read does not look at the limit again", "read.go", []string{
		"return r.load() == w && limit != 0 && limit == r.readLimit(register)", "return r.load() == w",
	}},
	{"a read looks at the word after the limit only", "read.go", []string{
		"return r.load() == w && limit != 0 && limit == r.readLimit(register)", "return limit == r.readLimit(register) && r.load() == w",
	}},
	{"a restarted processor is absent until its successor is in place", "read.go", []string{
		"if w.code() == codeClosed {", "if w.ended() {",
	}},

	// Cells and registers.
	{"a claim takes a cell that is taken", "cells.go", []string{
		"if held&cellClaimed != 0 {", "if false {",
	}},
	{"a claim keeps the cell's version", "cells.go", []string{
		"(held+cellVersion)&versionMask", "held&versionMask",
	}},
	{"a report gives its lag up when others are faster in every cell", "record.go", []string{
		"cell = r.claimCrowded(lag)", "_ = lag",
	}},
	{"the old cell is released before the new one is published", "record.go", []string{
		"			r.cells[cell].date(at)\n", "			r.cells[cell].date(at)\n			r.releaseCell(from.cell())\n",
		"		r.releaseCell(from.cell())\n		if lag == 0", "		if lag == 0",
	}},
	{"the lag is dated after it is published", "record.go", []string{
		"			yield()\n			r.cells[cell].date(at)\n", "",
		"		r.releaseCell(from.cell())\n", "		yield()\n		if cell >= 0 {\n			r.cells[cell].date(at)\n		}\n		r.releaseCell(from.cell())\n",
	}},
	{"a lag that is refused keeps its cell", "record.go", []string{
		"			r.releaseCell(cell)\n			return\n", "			return\n",
	}},
	{"a lag keeps the time of its first attempt", "record.go", []string{
		"				cell = r.claimCrowded(lag)\n			}\n", "				cell = r.claimCrowded(lag)\n			}\n			if cell >= 0 {\n				r.cells[cell].date(at)\n			}\n",
		"			yield()\n			r.cells[cell].date(at)\n", "",
	}},
	{"the end of a unit keeps the register of its limit", "record.go", []string{
		"		if from.code() >= codeLimited && from.code() != c {\n			r.releaseLimit(from.limit())\n		}\n", "",
	}},
	{"a BusyFor that is refused keeps its register", "record.go", []string{
		"			r.releaseLimit(register)\n", "",
	}},

	// Reports.
	{"a stamp moves back", "word.go", []string{
		"return max(at.clock(), w.clock()) |", "return at.clock() |",
	}},
	{"a report that meets another one is dropped", "record.go", []string{
		"		if from != to && !r.swap(from, to) {\n			continue\n		}\n", "		if from != to && !r.swap(from, to) {\n			return\n		}\n",
	}},
	{"a beat leaves Standby", "moves.go", []string{
		"beating = moves(code(Running), Unreported, Running, Idle)", "beating = moves(code(Running), Unreported, Running, Idle, Standby)",
	}},
	{"Idle again is a new entry", "moves.go", []string{
		"moves(code(Idle), Unreported, Running, Busy)", "moves(code(Idle), Unreported, Running, Busy, Idle)",
	}},
	{"SetLag renews the stamp", "record.go", []string{
		"		if m.beat {\n			to = ", "		if true {\n			to = ",
	}},

	// The short ways.
	{"a short beat moves a stamp back", "short.go", []string{
		"== word(Running)<<cellBits && from <= at|(1<<stampShift-1)", "== word(Running)<<cellBits",
	}},
	{"a short beat leaves any state", "short.go", []string{
		"from&(codeMask<<cellBits) == word(Running)<<cellBits && from <=", "!from.ended() && from <=",
	}},
	{"a short lag is dated after it is published", "short.go", []string{
		"	if tick == monotonic || cell.at.Load() != uint64(at) {\n		yield()\n		cell.at.Store(uint64(at))\n	}\n", "",
		"	yield()\n	r.releaseCell(from.cell())\n", "	yield()\n	cell.date(at)\n	r.releaseCell(from.cell())\n",
	}},
	{"a short lag that is too late keeps its cell", "short.go", []string{
		"		r.releaseCell(i)\n", "",
	}},

	// Faults.
	{"a fault stores its cause after the word", "fault.go", []string{
		"	if !r.cause.CompareAndSwap(nil, c) {\n		c = r.cause.Load()\n	}\n	yield()\n", "",
		"			r.releaseLimit(from.limit())\n", "			yield()\n			r.cause.Store(c)\n			r.releaseLimit(from.limit())\n",
	}},
	{"a second fault overwrites the cause", "fault.go", []string{
		"	if !r.cause.CompareAndSwap(nil, c) {\n		c = r.cause.Load()\n	}\n", "	r.cause.Store(c)\n",
	}},
	{"a fault leaves the work to the one it meets", "fault.go", []string{
		"		c = r.cause.Load()\n", "		return\n",
	}},

	// Lives.
	{"an incarnation that was silent counts as a start", "word.go", []string{
		"return w.code() != code(Unreported)", "return true",
	}},
	{"Restart swings the pointer before it ends the old life", "lifecycle.go", []string{
		"	last, ok := r.finish(codeRestarted)\n	if !ok {\n", "	last := r.load().end(b.now(), codeRestarted)\n	if r.load().ended() {\n",
		"	yield()\n	b.replace(next)\n", "	b.replace(next)\n	yield()\n	r.finish(codeRestarted)\n",
	}},
	{"Restart does not end the old life", "lifecycle.go", []string{
		"		if r.swap(w, end) {\n", "		if c == codeRestarted || r.swap(w, end) {\n",
	}},
	{"Restart loses the counters", "lifecycle.go", []string{
		"	p.starts, p.faults = old.counts(end)\n", "",
	}},
	{"Close takes a faulted processor off the board", "lifecycle.go", []string{
		"		if w.faulted() {\n", "		if false {\n",
	}},
	{"Register leaves the old index", "board.go", []string{
		"	b.byKey[r.key] = r\n	b.index.Store(nil)\n", "	b.byKey[r.key] = r\n",
	}},
}

// TestMutantsDie builds each mutant and requires that 100 random histories show
// it, or else the other tests of histories, most of which leave nothing to luck.
func TestMutantsDie(t *testing.T) {
	var byHistories atomic.Int32
	t.Run("mutants", func(t *testing.T) {
		for _, m := range mutants {
			t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				binary := m.build(t)
				death, alive := verdict(t, binary, "^TestHistoriesAreLinearizable$/^procs=1$", 100)
				if !alive {
					byHistories.Add(1)
				} else if death, alive = verdict(t, binary, "^Test(Sleepers|HistoriesOnOwnClocks)", 2000); alive {
					t.Fatal("alive")
				}
				t.Log(death)
			})
		}
	})
	t.Logf("%d mutants, %d died within 100 random histories", len(mutants), byHistories.Load())
	if byHistories.Load() < 12 {
		t.Error("at least 12 must")
	}
}

// verdict runs tests of a mutant and tells how it died.
func verdict(t *testing.T, binary, tests string, histories int) (death string, alive bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, "-test.run="+tests, "-test.failfast", "-test.timeout=120s")
	command.Env = append(command.Environ(), fmt.Sprintf("LOOPVITALS_HISTORIES=%d", histories))
	output, err := command.CombinedOutput()
	return string(deaths.Find(output)), err == nil
}

// deaths is how the test binary says that it failed.
var deaths = regexp.MustCompile(`history \d+, .*|(?m)^(panic|fatal error): .*`)

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
	command := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags=loopvitals_yield",
		"-overlay="+filepath.Join(dir, "overlay.json"), "-ldflags=-s -w", "-o="+binary, ".")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}
