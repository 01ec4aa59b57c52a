package bench

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// crew is a set of threads, each pinned to its CPU, that run teams.
type crew struct {
	jobs  []chan job
	procs int // GOMAXPROCS before
}

// job is what one member does in one round.
type job struct {
	member Member
	n      int
	start  *barrier
	timing chan<- timing
}

// timing is how it went.
type timing struct {
	cpu        time.Duration
	start, end time.Time
}

// barrier lets members begin at one moment and tells background ones when the
// measured ones are through.
type barrier struct{ arriving, measuring atomic.Int64 }

// newCrew starts size pinned threads.
func newCrew(size int) (*crew, error) {
	allowed, err := cpus()
	if err != nil {
		return nil, err
	}
	if len(allowed) < size {
		return nil, fmt.Errorf("bench: CPUs %d: this parallel case needs %d", len(allowed), size)
	}
	// One more than there are members, so that a board's clock, or whatever
	// else the runtime wants to run for a moment, does not suspend one.
	c := &crew{procs: runtime.GOMAXPROCS(size + 1)}
	for _, cpu := range allowed[:size] {
		jobs, pinned := make(chan job), make(chan error)
		go work(cpu, jobs, pinned)
		if err := <-pinned; err != nil {
			c.dismiss()
			return nil, err
		}
		c.jobs = append(c.jobs, jobs)
	}
	return c, nil
}

// dismiss ends the threads.
func (c *crew) dismiss() {
	runtime.GOMAXPROCS(c.procs)
	for _, jobs := range c.jobs {
		close(jobs)
	}
}

// work is one thread of a crew. It never unlocks: the runtime then ends the
// thread with the goroutine, and its pinning with it.
func work(cpu int, jobs <-chan job, pinned chan<- error) {
	runtime.LockOSThread()
	err := pin(cpu)
	pinned <- err
	if err != nil {
		return
	}
	for j := range jobs {
		j.timing <- j.do()
	}
}

// do runs one member's burst once all members are ready.
func (j job) do() timing {
	j.member.Burst(j.n/16 + 1)
	j.start.arriving.Add(-1)
	for j.start.arriving.Load() > 0 {
		// Spin: a parked thread would begin late, and on a cold cache.
	}
	t := timing{start: time.Now()}
	began := threadCPU()
	if j.member.Background {
		for j.start.measuring.Load() > 0 {
			j.member.Burst(1)
		}
	} else {
		j.member.Burst(j.n)
		j.start.measuring.Add(-1)
	}
	t.cpu = threadCPU() - began
	t.end = time.Now()
	return t
}

// run runs a team once. It returns the CPU time per operation of each measured
// member, and whether the members ran side by side.
func (c *crew) run(team Team, sizes []int) (perOp []float64, together bool) {
	start := &barrier{}
	start.arriving.Store(int64(len(team)))
	results := make([]chan timing, len(team))
	for i, m := range team {
		if !m.Background {
			start.measuring.Add(1)
		}
		results[i] = make(chan timing, 1)
	}
	for i, m := range team {
		c.jobs[i] <- job{member: m, n: sizes[i], start: start, timing: results[i]}
	}
	timings := make([]timing, len(team))
	perOp = make([]float64, len(team))
	for i, m := range team {
		timings[i] = <-results[i]
		if !m.Background {
			perOp[i] = float64(timings[i].cpu) / float64(sizes[i])
		}
	}
	return perOp, sideBySide(timings)
}

// sideBySide says whether all members had their CPUs for themselves, and for
// most of the time together.
func sideBySide(timings []timing) bool {
	const most = 0.75
	first, last := timings[0].start, timings[0].end
	began, ended := first, last
	for _, t := range timings {
		if float64(t.cpu) < most*float64(t.end.Sub(t.start)) {
			return false
		}
		first, last = earlier(first, t.start), later(last, t.end)
		began, ended = later(began, t.start), earlier(ended, t.end)
	}
	return float64(ended.Sub(began)) >= most*float64(last.Sub(first))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
