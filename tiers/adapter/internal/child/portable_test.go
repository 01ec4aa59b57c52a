package child

import (
	"fmt"
	"testing"
	"time"
)

// newPortableRunner makes a runner as other systems do.
func newPortableRunner(t *testing.T, c Config) *portable {
	t.Helper()
	c, err := c.validate()
	must(t, err)
	p, err := newPortable(c)
	must(t, err)
	t.Cleanup(func() { p.interrupt(); p.close() })
	return p
}

// runPortable runs a command, again if the machine was too busy for it.
func runPortable(p *portable, want Kind) (output []byte, failure *Error) {
	for until := time.Now().Add(longAgo); ; {
		output, failure = p.run(time.Now())
		if want == Timeout || failure == nil || failure.Kind != Timeout || time.Now().After(until) {
			return output, failure
		}
	}
}

// TestPortable sees that the engine of other systems keeps the limits, too.
func TestPortable(t *testing.T) {
	const limit = 100_000
	for name, c := range map[string]struct {
		argv []string
		want Kind
		text int
	}{
		"succeeds":       {act("print", newMark()), 0, len("fine\n")},
		"prints nothing": {act("nothing", newMark()), 0, 0},
		"exits 1":        {act("exit", newMark(), "1"), Exit, 0},
		"hangs":          {act("hang", newMark()), Timeout, 0},
		"closes":         {act("close and hang", newMark()), Timeout, 0},
		"dribbles":       {act("dribble", newMark()), Timeout, 0},
		"floods":         {act("flood", newMark()), TooLarge, 0},
		"prints limit":   {act("print much", newMark(), fmt.Sprint(limit)), 0, limit},
		"prints more":    {act("print much", newMark(), fmt.Sprint(limit+1)), TooLarge, 0},
		"is missing":     {[]string{somewhere}, NotStarted, 0},
	} {
		t.Run(name, func(t *testing.T) {
			config := Config{Argv: c.argv, MaxOutput: limit}
			if c.want == Timeout {
				config.Timeout = briefly
			}
			p := newPortableRunner(t, config)
			for range 2 { // nothing of a run is in the next
				output, failure := runPortable(p, c.want)
				switch {
				case c.want == 0 && failure != nil, c.want != 0 && (failure == nil || failure.Kind != c.want):
					t.Errorf("got %v, want %q", failure, c.want)
				case len(output) != c.text:
					t.Errorf("got %d bytes of output, want %d", len(output), c.text)
				}
			}
		})
	}
}

// TestPortableStop stops before and during a run.
func TestPortableStop(t *testing.T) {
	p := newPortableRunner(t, Config{Argv: act("hang", newMark())})
	done := make(chan *Error)
	go func() { _, failure := p.run(time.Now()); done <- failure }()
	time.Sleep(briefly) // or not even started: the same must come of it
	p.interrupt()
	for range 2 {
		failure := <-done
		if failure == nil || failure.Kind != Stopped && failure.Kind != Timeout {
			t.Errorf("got %v", failure)
		}
		go func() { _, failure := p.run(time.Now()); done <- failure }()
	}
	if failure := <-done; failure == nil || failure.Kind != Stopped {
		t.Errorf("after the stop: got %v", failure)
	}
}
