package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// patience is how long a condition is waited for. It is no bound of anything.
const patience = time.Minute

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting after %v: %s", patience, what)
		}
	}
}

// serial makes marks and addresses that differ within a process.
var serial atomic.Uint32

// raceOptions keep the race detector from waiting for a second at the end of a process.
const raceOptions = "GORACE=atexit_sleep_ms=0"

// process is an adapter that runs as one.
type process struct {
	*exec.Cmd
	address string
	mark    string // in the environment of its commands, and of all that they start
	log     string // a file, unless stderr was given
	disk    string // where it could write; it must not (A12)
}

// freeAddress is one that is not taken: each has an IP address of its own, so that
// nobody else takes the port meanwhile.
func freeAddress(t *testing.T) string {
	t.Helper()
	n, pid := serial.Add(1), os.Getpid()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+pid>>8%250, pid%256, 1+n%250))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// writeConfig writes a configuration whose command is the test binary.
func writeConfig(t *testing.T, address, play, mark string) (path string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"node": "node-a", "listen": address, "command": []string{binary},
		"environment": []string{playVariable + "=" + play, "LOOPVITALS_TEST_MARK=" + mark, raceOptions},
	})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "adapter.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// startAdapter starts one by the program, which is the test binary unless given,
// with a command that plays play. A nil stderr is a file.
func startAdapter(t *testing.T, program, play string, stderr *os.File) *process {
	t.Helper()
	p := &process{
		address: freeAddress(t),
		mark:    fmt.Sprintf("%d-%d-%d", os.Getpid(), time.Now().UnixNano(), serial.Add(1)),
	}
	environment := []string(nil)
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
		environment = []string{playVariable + "=loopvitals"}
	}
	p.Cmd = exec.Command(program, "adapter", "--config", writeConfig(t, p.address, play, p.mark))
	p.disk = t.TempDir()
	p.Dir, p.Env = p.disk, append(os.Environ(), append(environment, "HOME="+p.disk, "TMPDIR="+p.disk, raceOptions)...)
	if stderr == nil {
		p.log = filepath.Join(t.TempDir(), "log")
		var err error
		if stderr, err = os.Create(p.log); err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
	}
	p.Stderr = stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
		for _, pid := range p.survivors(t) { // none, unless a test has failed
			if n, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
		}
	})
	eventually(t, "the adapter listens", func() bool {
		conn, err := net.Dial("tcp", p.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return p
}

// code probes once: 0 is no answer.
func (p *process) code(path string) int {
	conn, err := net.DialTimeout("tcp", p.address, patience)
	if err != nil {
		return 0
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, p.address)
	reply, _ := io.ReadAll(conn)
	var code int
	_, _ = fmt.Sscanf(string(reply), "HTTP/1.1 %d", &code)
	return code
}

// survivors are the processes that a command has left, by their mark: not zombies,
// which have no environment.
func (p *process) survivors(t *testing.T) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if environment, err := os.ReadFile(file); err == nil && bytes.Contains(environment, []byte("LOOPVITALS_TEST_MARK="+p.mark+"\x00")) {
			pids = append(pids, strings.Split(file, "/")[2])
		}
	}
	return pids
}

// signal sends a signal, and tells when.
func (p *process) signal(t *testing.T, s syscall.Signal) time.Time {
	t.Helper()
	sent := time.Now()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	return sent
}

// line finds the last line of the log with a message, as a map.
func (p *process) line(t *testing.T, message string) (fields map[string]any) {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var candidate map[string]any
		if err := json.Unmarshal(line, &candidate); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if candidate["msg"] == message {
			fields = candidate
		}
	}
	return fields
}

func init() { plays["leaves"] = playLeaves }

// playLeaves prints what a healthy node does, and leaves a process behind that is in a
// session of its own, so that no signal to a group reaches it.
func playLeaves() {
	command := exec.Command("/proc/self/exe")
	command.Env = append(os.Environ(), playVariable+"=hung")
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if command.Start() == nil {
		fmt.Println(healthyDocument)
	}
}
