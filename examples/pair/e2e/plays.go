//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

// play is the whole of a run.
type play struct {
	folder string
	n      int // rounds of each fault
	seed   uint64
	faults []fault
	begun  time.Time

	mu      sync.Mutex
	out     io.Writer
	results []result
}

func choose(all []fault, begin string) []fault {
	return slices.DeleteFunc(all, func(f fault) bool { return !strings.HasPrefix(f.name, begin) })
}

// run has both engines on stages of their own at the same time.
func (p *play) run(ctx context.Context, kinds []engine.Kind) error {
	fmt.Fprintf(p.out, prologue, ttl, p.n, p.seed)
	if reason := noCables(); reason != "" {
		p.say("faults of the cable are left out: %s", reason)
		p.faults = slices.DeleteFunc(p.faults, func(f fault) bool { return f.cast.cabled })
	}
	errs := make([]error, len(kinds))
	var group sync.WaitGroup
	for i, kind := range kinds {
		group.Go(func() { errs[i] = p.engine(ctx, kind, i) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.judge(errors.Join(errs...))
}

// engine does all faults on one engine.
func (p *play) engine(ctx context.Context, kind engine.Kind, number int) (err error) {
	s, err := newStage(ctx, kind, number, p.folder, p.seed)
	if err != nil {
		return err
	}
	defer s.close()
	for _, f := range p.faults {
		if f.only != "" && f.only != kind {
			continue
		}
		// New nodes for another cast, and after a failure, which may have
		// left anything behind.
		if s.cast != f.cast || s.spoilt {
			if err := s.enter(ctx, f.cast); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
		}
		res := rounds(ctx, s, f, p.n)
		if ctx.Err() != nil {
			return nil
		}
		s.spoilt = res.err != nil
		p.add(res)
	}
	return nil
}

func (p *play) add(res result) {
	p.mu.Lock()
	p.results = append(p.results, res)
	p.mu.Unlock()
	verdict := "ok"
	if len(res.broken()) > 0 {
		verdict = "NOT as it must be"
	}
	p.say("%-4s  %-26s %2d rounds  %s", res.engine, res.fault.name, len(res.rounds), verdict)
}

func (p *play) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "%5.0f s  "+format+"\n", append([]any{time.Since(p.begun).Seconds()}, args...)...)
}

// judge prints the table, and what is wrong with it.
func (p *play) judge(err error) error {
	at := func(f fault) int { return slices.IndexFunc(p.faults, func(o fault) bool { return o.name == f.name }) }
	slices.SortStableFunc(p.results, func(a, b result) int {
		if d := at(a.fault) - at(b.fault); d != 0 {
			return d
		}
		return -strings.Compare(string(a.engine), string(b.engine))
	})
	fmt.Fprintln(p.out)
	printTable(p.out, p.results)
	fmt.Fprintln(p.out, epilogue)
	failed := 0
	for _, res := range p.results {
		for _, rule := range res.broken() {
			failed++
			fmt.Fprintf(p.out, "\nFAILED  %s on %s: %s\n%s", res.fault.name, res.engine, rule, res.tails)
		}
	}
	if failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d rules were broken, see above", failed))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\ne2e-cluster: ok (%d faults, %.0f s)\n", len(p.results), time.Since(p.begun).Seconds())
	return nil
}

const prologue = `e2e-cluster: three nodes, of which one is active, on a NATS and on an etcd. TTL %v, %d rounds a fault, seed %d.

`

const epilogue = `
failover: from the fault to the first claim of another node; in the two lines where
  the engine itself is killed, the longest time in which nobody was active
gap: the least time from the last claim of the old node to the first of the new one
overlap: the longest time for which two nodes held themselves for the active one
youngest: a node that came back was the youngest, and stood by
stale writes: with a smaller token than the device had accepted before`
