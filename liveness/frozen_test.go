package liveness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// frozenChild is the environment variable that turns the test binary into the
// process that freeze_test.go freezes: "watched", "coarse" for one that is
// watched and has a coarse clock, or "naive" for one without Monitor.Run.
const frozenChild = "LOOPVITALS_FROZEN_CHILD"

const (
	frozenInterval = 50 * time.Millisecond
	frozenBound    = 750 * time.Millisecond
	frozenLoops    = 4
)

// frozenReport is what the child answers to each line of its input.
type frozenReport struct {
	// False counts the probes that called a loop stale which beats all the time.
	False int64
	// Found is how long after the last freeze, by the child's own clock, the
	// loop that "wedge" has wedged was called stale; zero if it was not yet.
	Found time.Duration
	// Gap is the longest that the child did not run since then.
	Gap time.Duration
}

// runFrozenChild beats, probes and answers until its input ends.
func runFrozenChild(kind string) int {
	var opts []board.Option
	if kind == "coarse" {
		opts = append(opts, board.WithCoarseClock(0))
	}
	b := board.New(opts...)
	m, err := NewMonitor(b, WithPolicy(Policy{StaleAfter: frozenBound}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _ = b.Run(ctx) }()
	if kind != "naive" {
		go func() { _ = m.Run(ctx) }()
	}
	var wedged atomic.Bool
	for i := range frozenLoops {
		go beatForEver(b.MustRegister(board.Spec{ID: fmt.Sprint("alive-", i), Interval: frozenInterval}), new(atomic.Bool))
	}
	go beatForEver(b.MustRegister(board.Spec{ID: "wedged", Interval: frozenInterval}), &wedged)
	time.Sleep(2 * frozenInterval)

	p := &frozenProber{monitor: m, wedged: &wedged}
	go p.probeForEver()
	answer := json.NewEncoder(os.Stdout)
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		if input.Text() == "wedge" {
			wedged.Store(true)
		}
		report := frozenReport{p.false.Load(), time.Duration(p.found.Load()), time.Duration(p.gap.Load())}
		if err := answer.Encode(report); err != nil {
			return 1
		}
	}
	return 0
}

func beatForEver(r *board.Reporter, wedged *atomic.Bool) {
	for ; ; time.Sleep(frozenInterval) {
		if !wedged.Load() {
			r.Beat()
		}
	}
}

// frozenProber asks for verdicts every millisecond, as a very eager probe would.
type frozenProber struct {
	monitor *Monitor
	wedged  *atomic.Bool

	false      atomic.Int64
	found, gap atomic.Int64
}

func (p *frozenProber) probeForEver() {
	var verdicts []Verdict
	last := time.Now()
	resumed := last
	for ; ; time.Sleep(time.Millisecond) {
		verdicts = p.monitor.Append(verdicts[:0])
		now := time.Now()
		if now.Sub(last) > frozenBound {
			resumed = now
			p.gap.Store(0)
		} else if gap := int64(now.Sub(last)); gap > p.gap.Load() {
			p.gap.Store(gap)
		}
		last = now
		for _, v := range verdicts {
			switch {
			case v.Reason != Stale:
			case v.Key != "wedged":
				p.false.Add(1)
			case p.wedged.Load() && p.found.Load() == 0:
				p.found.Store(int64(now.Sub(resumed)))
			}
		}
	}
}
