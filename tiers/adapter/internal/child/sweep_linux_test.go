package child

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

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

// state is the letter that the kernel has for the state of a process.
func state(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	text := string(stat)
	return strings.Fields(text[strings.LastIndexByte(text, ')')+1:])[0]
}

// TestParentIn reads the text of a stat file, whose second field is free text.
func TestParentIn(t *testing.T) {
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
		got, ok := parentIn([]byte(text))
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, ok, want)
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
