//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

const (
	// limit is how long anything is waited for, on a slow machine.
	limit = 30 * time.Second
	// maximumAge is of what an adapter may answer from (S2.11), and interval what it
	// lets pass between two samples (S2.14). The bounds on what is measured here
	// hold by the first alone, however slow the machine is.
	maximumAge = 3 * time.Second
	interval   = time.Second
	// lookEvery is how often the endpoints are asked while something is waited for.
	lookEvery = 10 * time.Millisecond
	// tries is how often what a busy machine can spoil is begun anew. What must hold
	// on any machine has no second try.
	tries = 5
)

// seen is what came of waiting.
type seen struct {
	took time.Duration // until all was as expected
	last time.Duration // how long after the fault an endpoint that must fail still passed
}

// sees waits until the endpoints answer as expected, and has them asked by
// `loopvitals probe` then. Since is when the reason for it came about: an endpoint
// that is expected to fail must not pass later than the bound after that (S2.12),
// and once it fails, not again.
func (t *trial) sees(ctx context.Context, at *sidecar, expected codes, since time.Time) (w seen, err error) {
	var last sight
	watch := func() error {
		if last, err = t.client.look(ctx, at.address); err != nil {
			return err
		}
		for i, code := range last.get {
			if after := last.sent[i].Sub(since); code == 200 && expected[i] != 200 {
				w.last = max(w.last, after)
			}
		}
		if bound := maximumAge + interval; w.last > bound {
			return fmt.Errorf("%v after the fault the answers were %v: must be %v within %v", w.last, last.get, expected, bound)
		}
		return nil
	}
	var fault error
	err = process.Poll(ctx, limit, lookEvery, func() bool {
		fault = watch()
		return fault != nil || last.shows(expected)
	})
	w.took = time.Since(since)
	if errors.Is(err, process.ErrTimeout) {
		err = fmt.Errorf("after %v GET is answered %v and HEAD %v: must be %v", limit, last.get, last.head, expected)
	}
	if err = errors.Join(fault, err); err != nil {
		return w, err
	}
	if expected != all {
		if err := t.stays(ctx, at, expected); err != nil {
			return w, err
		}
	}
	return w, t.probes(ctx, at.address, expected)
}

// stays requires that what fails goes on to fail, through another sample at least.
func (t *trial) stays(ctx context.Context, at *sidecar, expected codes) error {
	for until := time.Now().Add(interval + interval/4); time.Now().Before(until); {
		s, err := t.client.look(ctx, at.address)
		if err != nil {
			return err
		}
		for i, code := range expected {
			if code != 200 && (s.get[i] == 200 || s.head[i] == 200) {
				return fmt.Errorf("%s passes while the fault lasts: GET %v, HEAD %v", paths[i], s.get, s.head)
			}
		}
		if err := process.Pause(ctx, lookEvery); err != nil {
			return err
		}
	}
	return nil
}

// probes runs the command against each endpoint.
func (t *trial) probes(ctx context.Context, address string, expected codes) error {
	for i, want := range expected.exits() {
		args := []string{"http://" + address + paths[i], "--timeout", "5s"}
		if want == 0 {
			// A machine that stands still for seconds has even a good sample age.
			args = append(args, "--wait", "10s")
		}
		if exit, said := t.probe(ctx, args...); exit != want {
			return fmt.Errorf("loopvitals probe %q: exit status %d: must be %d\n%s", args, exit, want, said)
		}
	}
	return nil
}

// probe runs `loopvitals probe`.
func (t *trial) probe(ctx context.Context, args ...string) (exit int, said string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, t.loopvitals, append([]string{"probe"}, args...)...)
	output, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), string(output) // of a nil state -1
}
