package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
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
	log    *tape
	// patience is how long a step waits for what it expects. It only matters
	// when something is wrong, or the machine very busy.
	patience time.Duration
}

// lineWidth is what the stage prints at most on a line, log lines left aside.
const lineWidth = 110

// step is one step of the script.
type step struct {
	title string
	why   string // what it shows, in plain words
	play  func(*stage) error
}

// settle waits until all is well, and leaves out what is logged until then: how
// each processor began.
func (s *stage) settle() error {
	for _, path := range []string{activePath, readyPath} {
		if _, err := s.await(path, []expectation{ok()}); err != nil {
			return fmt.Errorf("the start failed\n%w", err)
		}
	}
	wait(s.ctx, s.pause/2) // the log comes a little later
	s.log.play(io.Discard, "")
	s.begun = time.Now()
	return nil
}

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
				return errors.New("interrupted")
			}
			return fmt.Errorf("step %d of %d failed (%s)\n%w", i+1, len(steps), st.title, err)
		}
		wait(s.ctx, s.pause)
		s.log.play(s.out, "  log: ")
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

// refused asks for what only the active replica answers.
func (s *stage) refused(path string) error {
	code, body, err := request(s.ctx, s.client, http.MethodGet, s.base+path)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(string(body))
	fmt.Fprintf(s.out, "  GET %s -> %d %s\n    %s\n", path, code, http.StatusText(code), text)
	if code != http.StatusServiceUnavailable {
		return mismatch("HTTP status 503", fmt.Sprintf("HTTP status %d, %s", code, text))
	}
	return nil
}

// see asks until everything that is wanted holds, and prints that answer.
func (s *stage) see(path string, wants ...expectation) error {
	r, err := s.await(path, wants)
	if err != nil {
		return err
	}
	s.show(path, r)
	s.agree(wants, "")
	return nil
}

// keep asks until everything that is wanted holds, and from then on for as long
// as d: it must hold every time.
func (s *stage) keep(d time.Duration, path string, wants ...expectation) error {
	if _, err := s.await(path, wants); err != nil {
		return err
	}
	for end, probes := time.Now().Add(d), 2; ; probes++ {
		wait(s.ctx, 100*time.Millisecond)
		r, err := probe(s.ctx, s.client, s.base+path)
		if err != nil {
			return err
		}
		if miss := firstMiss(r, wants); miss != nil {
			s.show(path, r)
			return miss
		}
		if time.Now().After(end) {
			s.show(path, r)
			s.agree(wants, fmt.Sprintf(" in all of %d probes during %v", probes, d))
			return nil
		}
	}
}

// await asks until everything that is wanted holds.
func (s *stage) await(path string, wants []expectation) (report, error) {
	deadline := time.Now().Add(s.patience)
	for {
		r, err := probe(s.ctx, s.client, s.base+path)
		if err != nil {
			return r, err
		}
		miss := firstMiss(r, wants)
		if miss == nil {
			return r, nil
		}
		if time.Now().After(deadline) || s.ctx.Err() != nil {
			s.show(path, r)
			return r, miss
		}
		wait(s.ctx, 50*time.Millisecond)
	}
}

// scrape asks for the metrics, which must hold these series, and prints those.
func (s *stage) scrape(series ...string) error {
	_, body, err := request(s.ctx, s.client, http.MethodGet, s.base+"/metrics")
	if err != nil {
		return err
	}
	lines := strings.Split(string(body), "\n")
	fmt.Fprintln(s.out, "  GET /metrics, in part")
	for _, want := range series {
		if !slices.Contains(lines, want) {
			return mismatch("series "+want, "none like that among "+strconv.Itoa(len(lines))+" lines")
		}
		fmt.Fprintln(s.out, "    "+want)
	}
	return nil
}

func (s *stage) show(path string, r report) {
	fmt.Fprintf(s.out, "  GET %s -> %d %s  (%.1f s)\n%s\n", path, r.Code, http.StatusText(r.Code),
		time.Since(s.begun).Seconds(), pretty(r.Body, "    ", lineWidth))
}

// agree prints what held; often says how often, if it was more than once.
func (s *stage) agree(wants []expectation, often string) {
	words := make([]string, len(wants))
	for i, w := range wants {
		words[i] = w.want
	}
	line := "  as expected" + often + ": " + words[0]
	for _, w := range words[1:] {
		line += ","
		if len(line)+len(w) >= lineWidth {
			fmt.Fprintln(s.out, line)
			line = "   "
		}
		line += " " + w
	}
	fmt.Fprintln(s.out, line)
}

func firstMiss(r report, wants []expectation) error {
	for _, w := range wants {
		if got := w.got(r); got != "" {
			return mismatch(w.want, got)
		}
	}
	return nil
}

func mismatch(want, got string) error {
	return fmt.Errorf("  expected: %s\n  got:      %s", want, got)
}
