package child

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestStopChild sees that a process is not touched unless it has the parent that
// is meant, with handles and without.
func TestStopChild(t *testing.T) {
	e := newRunner(t, Config{Argv: act("hang", newMark())}).engine
	argv := act("hang", newMark())
	command := exec.Command(argv[0], argv[1:]...)
	must(t, command.Start())
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	pid := command.Process.Pid
	for name, open := range map[string]func(int, int) (int, error){
		"handles":    unix.PidfdOpen,
		"no handles": func(int, int) (int, error) { return -1, unix.ENOSYS },
	} {
		e.pidfdOpen = open
		if e.stopChild(pid, 1) {
			t.Errorf("%s: stopped the child of another", name)
		}
		if e.stopChild(1<<22, os.Getpid()) {
			t.Errorf("%s: stopped nobody", name)
		}
		if state(pid) == "T" {
			t.Errorf("%s: it is stopped", name)
		}
		if !e.stopChild(pid, os.Getpid()) {
			t.Errorf("%s: did not stop its own child", name)
		}
		eventually(t, "it is stopped", func() bool { return state(pid) == "T" })
		must(t, unix.Kill(pid, unix.SIGCONT))
		eventually(t, "it goes on", func() bool { return state(pid) != "T" })
	}
}

// TestKillFamily sees that nobody is killed before all are stopped, that one who
// comes late is found, and what happens when the time is over in between.
func TestKillFamily(t *testing.T) {
	var commands []*exec.Cmd
	start := func() {
		argv := act("hang", newMark())
		command := exec.Command(argv[0], argv[1:]...)
		must(t, command.Start())
		commands = append(commands, command)
	}
	for name, c := range map[string]struct {
		atFirst func(w *patience) // when the first one is about to be stopped
		killed  int
		stopped int
	}{
		"in time":           {nil, 3, 0},
		"one comes late":    {func(*patience) { start() }, 4, 0},
		"over":              {func(w *patience) { w.until = time.Now() }, 0, 1},
		"over, and no next": {func(w *patience) { w.until, w.hurried = time.Now(), true }, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				start()
			}
			defer func() {
				for _, command := range commands {
					_ = command.Process.Kill()
					_ = command.Wait()
				}
				commands = nil
			}()
			w := &patience{until: time.Now().Add(longAgo)}
			e := newRunner(t, Config{Argv: act("hang", newMark())}).engine
			e.pidfdOpen = func(pid, flags int) (int, error) {
				if first := c.atFirst; first != nil {
					c.atFirst = nil
					first(w)
				}
				return unix.PidfdOpen(pid, flags)
			}
			killed := 0
			e.kill = func(pid int, s syscall.Signal) error {
				killed++
				eventually(t, "it is stopped", func() bool { return state(pid) == "T" })
				return unix.Kill(pid, s)
			}
			e.killFamily(w)
			stopped := func() (n int) {
				for _, pid := range processes() {
					if parent, ok := parentOf(pid); ok && parent == os.Getpid() && state(pid) == "T" {
						n++
					}
				}
				return n
			}
			if killed != c.killed {
				t.Errorf("%d killed, want %d", killed, c.killed)
			}
			eventually(t, "as many are stopped as should", func() bool { return stopped() == c.stopped })
		})
	}
}

// state is the letter that the kernel has for the state of a process.
func state(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	text := string(stat)
	return strings.Fields(text[strings.LastIndexByte(text, ')')+1:])[0]
}

// TestStatIn reads the text of a stat file, whose second field is free text.
func TestStatIn(t *testing.T) {
	for text, want := range map[string]int{
		"12 (sh) S 1 12 12 0":               1,
		"12 (a b) R 34 12":                  34,
		"12 (a) S 99 (b) T 56 12":           56,
		"12 (\n) Z 78 12":                   78,
		"12 (()))) (S) 3) S 4194304 12 12 ": 4194304,
		"":                                  -1,
		"12 (sh":                            -1,
		"12 (sh)":                           -1,
		"12 (sh) S":                         -1,
		"12 (sh) S x":                       -1,
	} {
		got, stopped, ok := statIn([]byte(text))
		if ok != (want >= 0) || ok && got != want || stopped != (want == 56) {
			t.Errorf("%q: got %d, %v, %v, want %d", text, got, stopped, ok, want)
		}
	}
	if got, ok := parentOf(os.Getpid()); !ok || got != os.Getppid() {
		t.Errorf("got %d, %v, want %d", got, ok, os.Getppid())
	}
}

// TestProcesses finds this one, in the order of numbers.
func TestProcesses(t *testing.T) {
	last, found := 0, false
	for _, pid := range processes() {
		if pid < last {
			t.Errorf("%d after %d", pid, last)
		}
		last, found = pid, found || pid == os.Getpid()
	}
	if !found {
		t.Error("this process is not there")
	}
}
