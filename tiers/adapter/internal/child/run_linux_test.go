package child

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestRun sees each mischief end as it must, with nothing left.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	if err := makeFiles(folder); err != nil {
		t.Fatal(err)
	}
	for _, m := range mischiefs(folder) {
		if m.runs {
			continue // a subreaper's business
		}
		t.Run(m.name, func(t *testing.T) {
			mark := newMark()
			if err := m.commit(m.limits(), mark); err != nil {
				t.Error(err)
			}
			nothingLeft(t, mark)
		})
	}
}

// TestDefaultLimit sees a hung command end at the limit that nobody set.
func TestDefaultLimit(t *testing.T) {
	mark := newMark()
	r := newRunner(t, Config{Argv: act("hang", mark)})
	output, started, err := r.Run()
	took := time.Since(started)
	if kindOf(err) != Timeout || output != nil || took < MaxTimeout || took > MaxTimeout+longAgo {
		t.Errorf("got %q, %v after %v, want a timeout after %v", output, err, took, MaxTimeout)
	}
	t.Logf("the limit is %v, the run took %v", MaxTimeout, took)
	nothingLeft(t, mark)
}

// TestPunctual sees that the limit is not only kept some time: of a few runs, the
// quickest ends soon after it, however busy the machine is.
func TestPunctual(t *testing.T) {
	const tries = 40
	quickest := time.Duration(1 << 62)
	for range tries {
		r := newRunner(t, Config{Argv: act("dribble", newMark()), Timeout: briefly})
		_, started, err := r.Run()
		took := time.Since(started)
		if kindOf(err) != Timeout || took < briefly {
			t.Fatalf("got %v after %v", err, took)
		}
		if quickest = min(quickest, took); quickest < briefly*4/3 {
			t.Logf("%v after the limit of %v", quickest-briefly, briefly)
			return
		}
	}
	t.Errorf("the quickest of %d runs took %v, the limit is %v", tries, quickest, briefly)
}

// TestOutputLimit tries a small limit at its bound and one byte past it.
func TestOutputLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 4096, 65536, 65537} {
		for excess, want := range []Kind{0, TooLarge} {
			mark := newMark()
			output, err := runWhenIdle(t, Config{Argv: act("print much", mark, strconv.Itoa(limit+excess)), MaxOutput: limit})
			if kindOf(err) != want || err == nil && len(output) != limit {
				t.Errorf("limit %d, %d too many: got %d bytes, %v", limit, excess, len(output), err)
			}
			nothingLeft(t, mark)
		}
	}
}

// TestSurroundings sees what the command is given, and that it is nothing else.
func TestSurroundings(t *testing.T) {
	// Tests have no input as a rule, which could pass for the null device.
	input, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	must(t, err)
	held, err := os.Create(filepath.Join(t.TempDir(), "input"))
	must(t, err)
	must(t, unix.Dup3(int(held.Fd()), 0, 0))
	defer func() {
		must(t, errors.Join(unix.Dup3(input, 0, 0), unix.Close(input), held.Close()))
	}()
	for name, environment := range map[string][]string{
		"no environment": {},
		"an environment": {"CLIENT_FILE=/etc/node/client", "EMPTY="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LOOPVITALS_SECRET", "canary")
			output, err := runWhenIdle(t, Config{
				Argv: act("surroundings", newMark(), "--a flag", "$HOME", "*"), Env: environment,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := parseGiven(t, output)
			want := given{
				Dir: "/", Environment: environment, Arguments: []string{"--a flag", "$HOME", "*"},
				Input: os.DevNull, Errors: os.DevNull, GroupIsOwn: true,
				// Whatever starts the tests may have left others open on purpose.
				Descriptors: slices.Compact(slices.Sorted(slices.Values(append(inherited(), 0, 1, 2)))),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func parseGiven(t *testing.T, output []byte) (got given) {
	t.Helper()
	must(t, json.Unmarshal(output, &got))
	return got
}

// TestReplacedBetweenRuns replaces the program while the runner lives.
func TestReplacedBetweenRuns(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	mark := newMark()
	replace := func(text string, mode fs.FileMode) {
		t.Helper()
		next := program + ".next"
		if err := errors.Join(os.WriteFile(next, []byte(text), mode), os.Rename(next, program)); err != nil {
			t.Fatal(err)
		}
	}
	argv := act("print", mark)
	link := func() { must(t, os.Symlink(argv[0], program)) }

	r := newRunner(t, Config{Argv: append([]string{program}, argv[1:]...)})
	for _, step := range []struct {
		name   string
		change func()
		want   Kind
	}{
		{"missing", func() {}, NotStarted},
		{"a link to a program", link, 0},
		{"no program", func() { replace("garbage", 0o755) }, NotStarted},
		{"not executable", func() { replace("garbage", 0o644) }, NotStarted},
		{"the program again", func() { must(t, os.Remove(program)); link() }, 0},
		{"gone", func() { must(t, os.Remove(program)) }, NotStarted},
	} {
		step.change()
		_, _, err := r.Run()
		for tooSlow(err) {
			_, _, err = r.Run()
		}
		if kindOf(err) != step.want {
			t.Errorf("%s: got %v, want %q", step.name, err, step.want)
		}
	}
	nothingLeft(t, mark)
}

// TestCauses sees that an error keeps what the system said.
func TestCauses(t *testing.T) {
	folder := t.TempDir()
	must(t, makeFiles(folder))
	for name, want := range map[string]error{
		"missing": fs.ErrNotExist,
		"plain":   fs.ErrPermission,
		"garbage": syscall.ENOEXEC,
	} {
		_, _, err := newRunner(t, Config{Argv: []string{filepath.Join(folder, name)}}).Run()
		if !errors.Is(err, want) || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// TestKilledBeforeReaped sees that the group is killed while the command's number
// is still its own: dead or alive, it is a child of this process.
func TestKilledBeforeReaped(t *testing.T) {
	for _, name := range []string{"print", "exit 1", "hang", "flood"} {
		name, parameter, _ := strings.Cut(name, " ")
		r := newRunner(t, Config{Argv: act(name, newMark(), parameter), Timeout: briefly})
		groups, leaders := 0, 0
		r.engine.kill = func(pid int, s syscall.Signal) error {
			leader := max(pid, -pid)
			if leader == pid {
				leaders++
			} else {
				groups++
			}
			if parent, ok := parentOf(leader); !ok || parent != os.Getpid() || s != unix.SIGKILL {
				t.Errorf("%s: sent %v to %d; the parent of %d is %d, %v", name, s, pid, leader, parent, ok)
			}
			return unix.Kill(pid, s)
		}
		if _, _, err := r.Run(); groups == 0 || leaders == 0 {
			t.Errorf("%s: group killed %d times, leader %d times: %v", name, groups, leaders, err)
		}
	}
}

// TestWithoutHandles runs on a system that has no pidfd.
func TestWithoutHandles(t *testing.T) {
	for _, c := range []struct {
		act, parameter string
		want           Kind
	}{
		{"print", "", 0},
		{"exit", "3", Exit},
		{"close and exit", "", 0}, // only the death itself tells
		{"hang", "", Timeout},
		{"close and hang", "", Timeout},
		{"leader", "", 0},
	} {
		mark := newMark()
		r := newRunner(t, Config{Argv: act(c.act, mark, c.parameter)})
		if c.want == Timeout {
			r.engine.timeout = briefly
		}
		r.engine.pidfdOpen = func(int, int) (int, error) { return -1, unix.ENOSYS }
		_, started, err := r.Run()
		for i := 0; i < 20 && c.want != Timeout && tooSlow(err); i++ {
			_, started, err = r.Run()
		}
		if kindOf(err) != c.want {
			t.Errorf("%s: got %v, want %q", c.act, err, c.want)
		}
		if c.want == Timeout && time.Since(started) < briefly {
			t.Errorf("%s: gave up too early", c.act)
		}
		nothingLeft(t, mark)
	}
}

// TestThreadsMayEnd ends threads all the time, which must not be the one that the
// command is tied to by its death signal.
func TestThreadsMayEnd(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that threads change hands often
	over := make(chan struct{})
	churned := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-over:
				churned <- n
				return
			default:
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					runtime.LockOSThread() // and never unlocked: the thread ends, too
				}()
				<-ended
				n++
			}
		}
	}()
	for range times(2, 30) {
		r := newRunner(t, Config{Argv: act("dribble for", newMark(), "100")})
		var forked, last int
		r.engine.pidfdOpen = func(pid, flags int) (int, error) {
			forked = unix.Gettid()
			return unix.PidfdOpen(pid, flags)
		}
		r.engine.kill = func(pid int, s syscall.Signal) error {
			last = unix.Gettid()
			return unix.Kill(pid, s)
		}
		_, _, err := r.Run()
		for tooSlow(err) {
			_, _, err = r.Run()
		}
		if err != nil || forked == 0 || forked != last {
			t.Errorf("thread %d started the command, thread %d ended it: %v", forked, last, err)
		}
	}
	close(over)
	t.Logf("%d threads ended", <-churned)
}

// TestNoGoroutine counts while a run is in progress (S2.13): those that the run began,
// by the label that they inherit, as those of earlier tests end when they like.
func TestNoGoroutine(t *testing.T) {
	mark := newMark()
	r := newRunner(t, Config{Argv: act("hang", mark)})
	done := make(chan error)
	pprof.Do(t.Context(), pprof.Labels("run", mark), func(context.Context) {
		go func() { _, _, err := r.Run(); done <- err }()
	})
	eventually(t, "the command runs", func() bool { return len(survivors(mark)) == 1 })
	var profile strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		t.Error(err)
	}
	counts := regexp.MustCompile(`(?m)^(\d+) @.*\n# labels: .*`+regexp.QuoteMeta(mark)).FindAllStringSubmatch(profile.String(), -1)
	if len(counts) != 1 || counts[0][1] != "1" {
		t.Errorf("%q goroutines, of which one should be the caller of Run, and the only one", counts)
	}
	r.Stop()
	<-done
}

// runWhenIdle runs a command that ends by itself, again if the machine was too busy
// for it.
func runWhenIdle(t *testing.T, c Config) (output []byte, err error) {
	t.Helper()
	r := newRunner(t, c)
	for until := time.Now().Add(longAgo); time.Now().Before(until); {
		if output, _, err = r.Run(); !tooSlow(err) {
			break
		}
	}
	return output, err
}
