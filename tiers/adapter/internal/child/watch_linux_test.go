package child

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestDrain reads what is in a pipe that somebody else holds open.
func TestDrain(t *testing.T) {
	for text, fits := range map[string]bool{"": true, "12": true, "123": true, "1234": false, "12345": false} {
		e := newRunner(t, Config{Argv: act("print", newMark()), MaxOutput: 3}).engine
		var pipe [2]int
		must(t, unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
		defer func() { _ = unix.Close(pipe[1]) }()
		p := &process{pidfd: -1, out: pipe[0]}
		defer p.release()
		if _, err := unix.Write(pipe[1], []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := e.drain(p); got != fits || fits && string(e.output) != text {
			t.Errorf("%q: got %q, %v", text, e.output, got)
		}
		if !fits {
			continue
		}
		must(t, unix.Close(pipe[1]))
		if !e.drain(p) || p.out != -1 || string(e.output) != text {
			t.Errorf("%q and the end: got %q", text, e.output)
		}
		pipe[1] = -1
	}
}
