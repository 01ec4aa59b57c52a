package child

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A mischief is one way in which the sampled command misbehaves, or not.
type mischief struct {
	name string
	argv func(mark string) []string
	want Kind   // 0: it succeeds
	text string // the output of a success
	runs bool   // it leaves the group, which only a subreaper can clean up
}

func acting(name string, parameters ...string) func(string) []string {
	return func(mark string) []string { return act(name, mark, parameters...) }
}

// mischiefs is row 41 of the fault matrix as far as it concerns the process, and
// row 42. The folder holds files that cannot be executed.
func mischiefs(folder string) []mischief {
	file := func(name string) func(string) []string {
		return func(mark string) []string { return []string{filepath.Join(folder, name), mark} }
	}
	const limit = MaxOutput
	return []mischief{
		{name: "succeeds", argv: acting("print"), text: "fine\n"},
		{name: "ends at once without output", argv: acting("nothing")},
		{name: "hangs", argv: acting("hang"), want: Timeout},
		{name: "ignores the signals to end", argv: acting("ignore signals"), want: Timeout},
		{name: "stops itself", argv: acting("stop itself"), want: Timeout},
		{name: "floods its output", argv: acting("flood"), want: TooLarge},
		{name: "floods its errors", argv: acting("flood errors"), want: Timeout},
		{name: "prints many errors", argv: acting("print errors"), text: "fine\n"},
		{name: "closes its output and hangs", argv: acting("close and hang"), want: Timeout},
		{name: "dribbles", argv: acting("dribble"), want: Timeout},
		{name: "exits 1 after half an output", argv: acting("exit", "1"), want: Exit},
		{name: "exits 255", argv: acting("exit", "255"), want: Exit},
		{name: "is killed after half an output", argv: acting("kill itself"), want: Exit},
		{name: "prints as much as it may", argv: acting("print much", fmt.Sprint(limit)), text: strings.Repeat("x", limit)},
		{name: "prints one byte more", argv: acting("print much", fmt.Sprint(limit+1)), want: TooLarge},
		{name: "is missing", argv: file("missing"), want: NotStarted},
		{name: "may not be executed", argv: file("plain"), want: NotStarted},
		{name: "is no program", argv: file("garbage"), want: NotStarted},
		{name: "is a folder", argv: file("."), want: NotStarted},
		{name: "leaves a grandchild", argv: acting("leader"), text: "fine\n"},
		{name: "hangs, and so does a grandchild", argv: acting("hung leader"), want: Timeout},
		{name: "leaves a grandchild that holds the output open", argv: acting("leader of a holder")},
		{name: "leaves its group for that of its parent, and hangs", argv: acting("deserter"), want: Timeout},
		{name: "leaves one in a session of its own", argv: acting("runaway"), text: "fine\n", runs: true},
		{name: "leaves one there that holds the output open", argv: acting("runaway holder"), runs: true},
		{name: "hangs, and so does one there", argv: acting("hung runaway"), want: Timeout, runs: true},
		{name: "leaves one by a double fork", argv: acting("double runaway"), text: "fine\n", runs: true},
		{name: "leaves dead ones to be reaped", argv: acting("orphans"), text: "fine\n", runs: true},
	}
}

// makeFiles makes the files that cannot be executed.
func makeFiles(folder string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "plain"), []byte("#!/bin/sh\n"), 0o644),
		os.WriteFile(filepath.Join(folder, "garbage"), []byte("\x00\x01 garbage"), 0o755),
	)
}

// limits are the least in which the mischief still shows.
func (m mischief) limits() Config {
	c := Config{}
	if m.want == Timeout {
		c.Timeout = briefly
	}
	return c
}

// verdict tells what is wrong with the outcome of a run, if something is.
func (m mischief) verdict(c Config, output []byte, started time.Time, err error) error {
	took := time.Since(started)
	var failure *Error
	switch errors.As(err, &failure); {
	case m.want == 0 && err != nil:
		return fmt.Errorf("failed: %w", err)
	case m.want != 0 && (failure == nil || failure.Kind != m.want):
		return fmt.Errorf("got the error %v, want the kind %q", err, m.want)
	case err != nil && output != nil:
		return fmt.Errorf("failed, and gave %d bytes of output", len(output))
	case failure != nil && failure.Left > 0:
		return fmt.Errorf("left something: %w", failure)
	case m.text != "" && string(output) != m.text:
		return fmt.Errorf("got %d bytes of output %.40q", len(output), output)
	case m.want == Timeout && took < c.Timeout:
		return fmt.Errorf("gave up after %v already", took)
	}
	return nil
}

// tooSlow tells a machine so busy that even a quick command runs into the limit, or
// that a signal needs longer than is waited for: the run is then repeated.
func (m mischief) tooSlow(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && (failure.Kind == Timeout && m.want != Timeout || failure.Left > 0)
}

// commit runs the mischief, and tells what is wrong with the outcome.
func (m mischief) commit(c Config, mark string) error {
	c.Argv = m.argv(mark)
	r, err := New(c)
	if err != nil {
		return err
	}
	defer finish(r)
	for until := time.Now().Add(longAgo); ; {
		output, started, err := r.Run()
		if !m.tooSlow(err) || time.Now().After(until) {
			return m.verdict(c, output, started, err)
		}
	}
}

// interrupt runs a mischief that does not end, stops it, and tells how long the run
// went on.
func (m mischief) interrupt(c Config, mark string) (took time.Duration, err error) {
	c.Argv, c.Timeout = m.argv(mark), 0
	r, err := New(c)
	if err != nil {
		return 0, err
	}
	type result struct {
		output []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		output, _, err := r.Run()
		done <- result{output, err}
	}()
	for len(survivors(mark)) == 0 && len(done) == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(rand.N(10 * time.Millisecond))
	stopped := time.Now()
	r.Stop()
	asked := time.Since(stopped)
	got := <-done
	took = time.Since(stopped)
	finish(r)
	switch kind := kindOf(got.err); {
	case kind == Timeout && got.output == nil: // the limit came first on a busy machine
		return 0, nil
	case kind != Stopped || got.output != nil:
		return took, fmt.Errorf("stopped: got %q, %w", got.output, got.err)
	case asked > stopSlack || took > stopPatience+stopSlack:
		return took, fmt.Errorf("Stop took %v, the run ended after %v", asked, took)
	}
	return took, nil
}
