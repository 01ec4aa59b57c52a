package loopback

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// helperProcess is this binary in another role, which ends at the latest when its
// standard input does.
type helperProcess struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// newHelper starts a helper, which the caller must end.
func newHelper(t *testing.T, role string, args ...string) *helperProcess {
	t.Helper()
	return newHelperIn(t, nil, role, args...)
}

// newHelperIn is newHelper with attributes of the process.
func newHelperIn(t *testing.T, attr *syscall.SysProcAttr, role string, args ...string) *helperProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &helperProcess{t: t, cmd: cmd, in: in, out: bufio.NewReader(out)}
}

// line returns the next line of the helper's output.
func (p *helperProcess) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("helper: %v after %q", err, line)
	}
	return strings.TrimSpace(line)
}

// ask sends a line to the helper and returns the line that it answers.
func (p *helperProcess) ask(line string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	return p.line()
}

func (p *helperProcess) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
