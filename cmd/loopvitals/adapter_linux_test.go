package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAdapterArguments tries what cannot be used: exit 2 and one line.
func TestAdapterArguments(t *testing.T) {
	config := writeConfig(t, "127.0.0.1:0", "healthy", "")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(from, to string) string {
		path := filepath.Join(t.TempDir(), "adapter.json")
		if err := os.WriteFile(path, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		args   []string
		stderr string
	}{
		{nil, "config: must be given"},
		{[]string{"--config", config, "more"}, `argument "more": must be a flag`},
		{[]string{"--config", filepath.Join(t.TempDir(), "none")}, "none"},
		{[]string{"--config", changed(`"node"`, `"nod"`)}, "nod"},
		{[]string{"--config", changed("127.0.0.1", "0.0.0.0")}, "listen"},
		{[]string{"--config", changed(`"command":["/`, `"command":["`)}, "command"},
		{[]string{"--config", changed("}", "} {}")}, ""},
	} {
		var stdout, stderr bytes.Buffer
		exit := run(append([]string{"adapter"}, c.args...), &stdout, &stderr)
		if line := stderr.String(); exit != exitUsage || stdout.Len() > 0 || !strings.Contains(line, c.stderr) ||
			!strings.HasPrefix(line, "loopvitals adapter: ") || strings.Count(line, "\n") != 1 {
			t.Errorf("%q: exit %d, want %d with one line about %q, got\n%s%s", c.args, exit, exitUsage, c.stderr, stdout.Bytes(), line)
		}
	}
}

// TestAdapterPortTaken has it fail at once with a clear line: exit 1 (row 47).
func TestAdapterPortTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	command := exec.CommandContext(t.Context(), os.Args[0], "adapter", "--config", writeConfig(t, listener.Addr().String(), "healthy", ""))
	command.Env = append(os.Environ(), playVariable+"=loopvitals")
	output, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != exitFailed || bytes.Count(output, []byte("\n")) != 1 ||
		!bytes.Contains(output, []byte(listener.Addr().String())) || !bytes.Contains(output, []byte("in use")) {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestLogThatNobodyTakes gives the adapter a log that is gone, one that is full and
// not read, and one on a full disk. It answers, and ends, all the same (rows 39 and
// 40). SIGPIPE is handled and not ignored: its commands would inherit that.
func TestLogThatNobodyTakes(t *testing.T) {
	for name, stderr := range map[string]func(*testing.T) *os.File{
		"gone": func(t *testing.T) *os.File {
			reader, writer := pipe(t)
			reader.Close()
			return writer
		},
		"full and not read": func(t *testing.T) *os.File {
			_, writer := pipe(t)
			fill(t, writer)
			return writer
		},
		"no space": func(t *testing.T) *os.File {
			file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { file.Close() })
			return file
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := startAdapter(t, "", "healthy", stderr(t))
			untilReady(t, p)
			if ignored := ignoredSignals(t, p.Process.Pid); ignored&(1<<(syscall.SIGPIPE-1)) != 0 {
				t.Errorf("SIGPIPE is ignored: %x", ignored)
			}
			p.stop(t, syscall.SIGTERM)
		})
	}
}

func pipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); writer.Close() })
	return reader, writer
}

// fill leaves no room for a byte, in a pipe that blocks.
func fill(t *testing.T, writer *os.File) {
	t.Helper()
	_ = writer.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // a pipe of Go's does not block
	if n, err := io.Copy(writer, endless{}); err == nil {
		t.Fatalf("a pipe takes %d bytes", n)
	}
	if err := syscall.SetNonblock(int(writer.Fd()), false); err != nil {
		t.Fatal(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return 1, nil }

// ignoredSignals reads which signals a process ignores, as its children will.
func ignoredSignals(t *testing.T, pid int) (set uint64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(status), "\nSigIgn:")
	if _, err := fmt.Sscanf(line, "%x", &set); err != nil {
		t.Fatal(err)
	}
	return set
}

// TestResources runs the real program for some seconds, asks it often, and records
// what it uses beside its ceilings (S2.18, row 38).
func TestResources(t *testing.T) {
	program := filepath.Join(t.TempDir(), "loopvitals")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	p := startAdapter(t, program, "healthy", nil)
	untilReady(t, p)
	probes, unanswered := 0, 0
	for began := time.Now(); time.Since(began) < 4*time.Second; probes++ {
		if probes%10 == 0 { // a client that never says anything
			conn, err := net.Dial("tcp", p.address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		if p.code("/startup") == 0 { // this process came too late with its request
			unanswered++
		}
		time.Sleep(time.Millisecond)
	}
	p.stop(t, syscall.SIGTERM)
	first, last := p.line(t, "listening"), p.line(t, "resources")
	if first == nil || last == nil || p.line(t, "stopped") == nil {
		text, _ := os.ReadFile(p.log)
		t.Fatalf("lines are missing:\n%s", text)
	}
	ceilings := last["ceilings"].(map[string]any)
	t.Logf("after %v ms, %v samples and %v requests: RSS %.1f MiB, at most %.1f of %.0f MiB; CPU %v ms; %v goroutines, %v threads, %v descriptors, %v children",
		last["uptimeMs"], last["samples"], last["answered"],
		last["rssBytes"].(float64)/(1<<20), last["peakRSSBytes"].(float64)/(1<<20), ceilings["rssBytes"].(float64)/(1<<20),
		last["cpuMs"], last["processGoroutines"], last["threads"], last["descriptors"], last["children"])
	for _, c := range []struct {
		field string
		most  float64
	}{
		{"peakRSSBytes", ceilings["rssBytes"].(float64)},
		{"processGoroutines", ceilings["goroutines"].(float64) + 3}, // the command's own: main, its log, the signals
		{"descriptors", 20},
		{"children", ceilings["children"].(float64)},
		{"linesDropped", 0},
	} {
		if got := last[c.field].(float64); got < 0 || got > c.most {
			t.Errorf("%s is %v, at most %v", c.field, got, c.most)
		}
	}
	if answered := last["answered"].(float64); answered < float64(probes-unanswered) {
		t.Errorf("%v requests were answered, want %d at least", answered, probes-unanswered)
	}
}
