package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// stage is where the script plays: it acts and looks from outside, over HTTP,
// and prints what it sees.
type stage struct {
	ctx    context.Context //nolint:containedctx // one run of the script
	out    io.Writer
	client *http.Client
	base   string
	begun  time.Time
	pause  time.Duration // after each step, to let people read
}

// step is one step of the script.
type step struct {
	title string
	why   string // what it shows, in plain words
	play  func(*stage) error
}

// patience is how long a step waits for what it expects. It only matters when
// something is wrong, or the machine very busy.
const patience = 15 * time.Second

// run plays the steps in order, up to the first that fails.
func (s *stage) run(steps []step) error {
	for i, st := range steps {
		fmt.Fprintf(s.out, "\n[%d/%d] %s  (%.1f s)\n", i+1, len(steps), st.title, time.Since(s.begun).Seconds())
		for line := range strings.Lines(st.why) {
			fmt.Fprint(s.out, "  ", line)
		}
		fmt.Fprintln(s.out)
		if err := st.play(s); err != nil {
			if s.ctx.Err() != nil {
				return errors.New("demo: interrupted")
			}
			return fmt.Errorf("demo: step %d of %d failed (%s)\n%w", i+1, len(steps), st.title, err)
		}
		wait(s.ctx, s.pause)
	}
	return nil
}

// post turns one of the knobs.
func (s *stage) post(path string) error {
	code, body, err := request(s.ctx, s.client, http.MethodPost, s.base+path)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "  POST %s -> %d\n", path, code)
	if code != http.StatusOK {
		return mismatch("HTTP status 200", fmt.Sprintf("HTTP status %d, %s", code, strings.TrimSpace(string(body))))
	}
	return nil
}

// see asks until everything that is wanted holds, then prints the answer.
func (s *stage) see(path string, wants ...expectation) error {
	deadline := time.Now().Add(patience)
	for {
		r, err := probe(s.ctx, s.client, s.base+path)
		if err != nil {
			return err
		}
		want, got := firstMiss(r, wants)
		if got == "" {
			s.show(path, r)
			s.agree(wants)
			return nil
		}
		if time.Now().After(deadline) || s.ctx.Err() != nil {
			s.show(path, r)
			return mismatch(want, got)
		}
		wait(s.ctx, 50*time.Millisecond)
	}
}

// keep asks for as long as d, and everything must hold every time.
func (s *stage) keep(d time.Duration, path string, wants ...expectation) error {
	for end, probes := time.Now().Add(d), 1; ; probes++ {
		r, err := probe(s.ctx, s.client, s.base+path)
		if err != nil {
			return err
		}
		want, got := firstMiss(r, wants)
		if got != "" {
			s.show(path, r)
			return mismatch(want, got)
		}
		if time.Now().After(end) {
			s.show(path, r)
			s.agree(wants)
			fmt.Fprintf(s.out, "  ... and so in all of %d probes during %v\n", probes, d)
			return nil
		}
		wait(s.ctx, 100*time.Millisecond)
	}
}

func (s *stage) show(path string, r report) {
	fmt.Fprintf(s.out, "  GET %s -> %d %s\n%s\n", path, r.Code, http.StatusText(r.Code), pretty(r.Body, "    ", 118))
}

func (s *stage) agree(wants []expectation) {
	words := make([]string, len(wants))
	for i, w := range wants {
		words[i] = w.want
	}
	fmt.Fprintln(s.out, "  as expected:", strings.Join(words, ", "))
}

func firstMiss(r report, wants []expectation) (want, got string) {
	for _, w := range wants {
		if got := w.got(r); got != "" {
			return w.want, got
		}
	}
	return "", ""
}

func mismatch(want, got string) error {
	return fmt.Errorf("  expected: %s\n  got:      %s", want, got)
}
