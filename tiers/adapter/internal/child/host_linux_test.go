package child

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A host is another process that samples, for what cannot be tried in the process
// of the tests: to be a subreaper, to be the first process of a namespace, to be
// killed. The commands of a host have its mark and a suffix.
const sampleSuffix = "sample"

// assignment is what a host does.
type assignment struct {
	Samples   int
	Subreaper bool
	First     bool // it is the first process of a new namespace
	Stops     bool // it stops each run
	Folder    string
}

// account is what it says it has seen.
type account struct {
	Samples  int
	Problems []string
	Longest  time.Duration // from a stop to the end of its run
}

// sampled has a host do its assignment, and checks its account.
func sampled(t *testing.T, a assignment) {
	t.Helper()
	a.Folder = t.TempDir()
	must(t, makeFiles(a.Folder))
	text, err := json.Marshal(a)
	must(t, err)
	mark := newMark()
	argv := act("host", mark, string(text))
	command := exec.Command(argv[0], argv[1:]...)
	command.Stderr = os.Stderr
	if a.First {
		command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID, Unshareflags: unix.CLONE_NEWNS}
	}
	output, err := command.Output()
	if err != nil {
		t.Fatalf("the host: %v", err)
	}
	var got account
	must(t, json.Unmarshal(output, &got))
	if a.Stops && got.Longest == 0 {
		t.Error("no run was stopped before its limit")
	}
	for _, problem := range got.Problems {
		t.Error(problem)
	}
	if got.Samples != a.Samples {
		t.Errorf("%d samples, want %d", got.Samples, a.Samples)
	}
	t.Logf("%d samples, %d problems, at most %v from a stop to the end of its run", got.Samples, len(got.Problems), got.Longest)
	nothingLeft(t, mark)
}

// enough is how many problems a host tells at least before it gives up.
const enough = 3

// host commits one mischief after the other, and looks after each for what is left.
func host(p []string) {
	var a assignment
	if err := json.Unmarshal([]byte(p[0]), &a); err != nil {
		panic(err)
	}
	if a.First {
		if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
			panic(err)
		}
	}
	mark := os.Args[3] + sampleSuffix
	list := mischiefs(a.Folder)
	if !a.Subreaper {
		list = slices.DeleteFunc(list, func(m mischief) bool { return m.runs })
	}
	if a.Stops {
		list = slices.DeleteFunc(list, func(m mischief) bool { return m.want != Timeout })
	}
	var (
		got  account
		open = descriptors()
	)
	for got.Samples < a.Samples && len(got.Problems) < enough {
		m := list[got.Samples%len(list)]
		got.Samples++
		report := func(format string, args ...any) {
			got.Problems = append(got.Problems, fmt.Sprintf("sample %d, %s: ", got.Samples, m.name)+fmt.Sprintf(format, args...))
		}
		c := m.limits()
		c.Subreaper = a.Subreaper
		if a.Stops {
			took, err := m.interrupt(c, mark)
			got.Longest = max(got.Longest, took)
			if err != nil {
				report("%v", err)
			}
		} else if err := m.commit(c, mark); err != nil {
			report("%v", err)
		}
		look := lasting
		if a.Subreaper {
			look = survivors // whoever was found is reaped
		}
		if left := look(mark); len(left) > 0 {
			report("survivors %v", left)
		}
		if left := children(); len(left) > 0 {
			report("children %q", left)
		}
		if a.First && len(processes()) != 1 {
			report("processes %v", processes())
		}
		if now := descriptors(); now != open {
			report("%d descriptors, %d before", now, open)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		panic(err)
	}
}

// TestDebris is target 6: nothing is left of many samples of every kind.
func TestDebris(t *testing.T) {
	t.Run("subreaper", func(t *testing.T) { sampled(t, assignment{Samples: times(60, 1000), Subreaper: true}) })
	t.Run("alone", func(t *testing.T) { sampled(t, assignment{Samples: times(25, 1000)}) })
}

// TestDebrisOfStops does the same where each run is stopped while it hangs (A10).
func TestDebrisOfStops(t *testing.T) {
	sampled(t, assignment{Samples: times(18, 200), Subreaper: true, Stops: true})
}

// TestManyRunsOfOneRunner sees that runs do not add up to anything.
func TestManyRunsOfOneRunner(t *testing.T) {
	mark := newMark()
	cycle := func(n int) {
		r := newRunner(t, Config{Argv: act("print", mark)})
		for range n {
			if output, _, err := r.Run(); kindOf(err) != Timeout && string(output) != "fine\n" {
				t.Fatal(string(output), err)
			}
		}
		r.Stop()
	}
	cycle(1)
	before := descriptors()
	cycle(times(20, 1000))
	if after := descriptors(); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	nothingLeft(t, mark)
}

// TestEscapeWithoutSubreaper is the control: what the others say is not left, can
// be seen where it is.
func TestEscapeWithoutSubreaper(t *testing.T) {
	for _, name := range []string{"runaway", "double runaway"} {
		mark := newMark()
		if output, err := runWhenIdle(t, Config{Argv: act(name, mark)}); err != nil || len(output) < len("fine\n") {
			t.Errorf("%s: got %q, %v", name, output, err)
		}
		if got := survivors(mark); len(got) == 0 {
			t.Errorf("%s: no survivor", name)
		}
		exterminate(mark)
		eventually(t, "the end of "+name, func() bool { return len(survivors(mark)) == 0 })
	}
}

// TestForeignHolder sees a run end although somebody out of reach holds its output
// open, and goes on to write.
func TestForeignHolder(t *testing.T) {
	mark := newMark()
	if output, err := runWhenIdle(t, Config{Argv: act("runaway holder", mark)}); err != nil || !strings.HasPrefix(string(output), "fine\n") {
		t.Errorf("got %q, %v", output, err)
	}
	// It has lost its reader.
	eventually(t, "the end of the holder", func() bool { return len(survivors(mark)) == 0 })
}

// TestSubreaperHasNoOtherChildren wants a process that has children refused, since
// it would kill them: a shell may have started one before it became this program.
func TestSubreaperHasNoOtherChildren(t *testing.T) {
	mark := newMark()
	defer exterminate(mark)
	argv := act("parent", mark)
	said, err := os.Create(filepath.Join(t.TempDir(), "said")) // a pipe would be held open by the child
	must(t, err)
	defer said.Close()
	command := exec.Command(argv[0], argv[1:]...)
	command.Stdout = said
	must(t, command.Run())
	output, err := os.ReadFile(said.Name())
	must(t, err)
	if !strings.Contains(string(output), "must be in a process without children") {
		t.Errorf("New says %s", output)
	}
	if len(survivors(mark)) == 0 {
		t.Error("the child is gone")
	}
}
