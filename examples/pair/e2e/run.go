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

// run is the whole of it.
type run struct {
	folder string
	rounds int // of each fault
	seed   uint64
	kinds  []engine.Kind
	faults []fault
	begun  time.Time
	// leftOut says what could not be done here, and why.
	leftOut string

	mu      sync.Mutex
	out     io.Writer
	results []*result
}

// choose returns the faults whose names begin so.
func choose(all []fault, begin string) []fault {
	return slices.DeleteFunc(all, func(f fault) bool { return !strings.HasPrefix(f.name, begin) })
}

// all does all faults, on the engines at the same time, and judges.
func (p *run) all(ctx context.Context) error {
	fmt.Fprintf(p.out, prologue, strings.Trim(fmt.Sprint(p.kinds), "[]"), ttl, p.rounds, p.seed)
	if slices.ContainsFunc(p.faults, func(f fault) bool { return f.cast.cabled }) {
		if reason := noCables(); reason != "" {
			p.leftOut = "no cable was pulled: " + reason
			p.say("%s", p.leftOut)
			p.faults = slices.DeleteFunc(p.faults, func(f fault) bool { return f.cast.cabled })
		}
	}
	errs := make([]error, len(p.kinds))
	var group sync.WaitGroup
	for i, kind := range p.kinds {
		group.Go(func() {
			if err := p.engine(ctx, kind, i); err != nil {
				errs[i] = fmt.Errorf("%s: %w", kind, err)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(p.judge(), errors.Join(errs...))
}

// engine does all faults on one engine.
func (p *run) engine(ctx context.Context, kind engine.Kind, number int) (err error) {
	s, err := newStage(ctx, kind, number, p.folder, p.seed)
	if err != nil {
		return err
	}
	defer s.close()
	for _, f := range p.faults {
		if f.only != "" && f.only != kind {
			continue
		}
		if err := s.enter(ctx, f.cast); err != nil {
			return err
		}
		res := playRounds(ctx, s, f, p.rounds)
		if ctx.Err() != nil {
			return nil
		}
		s.spoilt = res.err != nil
		p.add(res)
	}
	return nil
}

// add notes a result, and tells that there is one.
func (p *run) add(res *result) {
	p.mu.Lock()
	p.results = append(p.results, res)
	p.mu.Unlock()
	verdict := "as it must be"
	if len(res.broken()) > 0 {
		verdict = "NOT as it must be, see below"
	}
	p.say("%-25s %-6s %6d  %s", res.fault.name, res.engine, len(res.rounds), verdict)
}

func (p *run) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "%4.0f s  "+format+"\n", append([]any{time.Since(p.begun).Seconds()}, args...)...)
}

// judge prints the table, and what is wrong with it.
func (p *run) judge() error {
	if len(p.results) == 0 {
		return errors.New("nothing was done, so nothing is known")
	}
	slices.SortStableFunc(p.results, func(a, b *result) int {
		return 10*(p.place(a.fault)-p.place(b.fault)) + slices.Index(p.kinds, a.engine) - slices.Index(p.kinds, b.engine)
	})
	printTable(p.out, p.results)
	failed := 0
	for _, res := range p.results {
		for _, rule := range res.broken() {
			failed++
			fmt.Fprintf(p.out, "\nFAILED  %s, %s: %s\n%s", res.fault.name, res.engine, rule, res.logs)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d rules were broken, see above", failed)
	}
	return nil
}

// place is where the fault is in the table.
func (p *run) place(f fault) int {
	return slices.IndexFunc(p.faults, func(other fault) bool { return other.name == f.name })
}

const prologue = `e2e-cluster: three nodes of examples/pair, one of them active, and faults; all are real processes.
engines: %s   TTL: %v   rounds: %d   seed: %d

   at   fault                     engine rounds
`
