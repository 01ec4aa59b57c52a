package casmember_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// TestSchedules runs the real Node through random schedules of faults, in
// virtual time, and compares the claims of all processes in true time: no two of
// them may ever act at once, and somebody must, once all is well. A schedule
// that fails is run alone, and told in full, with LOOPVITALS_SEED.
func TestSchedules(t *testing.T) {
	if one, err := strconv.ParseUint(os.Getenv("LOOPVITALS_SEED"), 10, 64); err == nil {
		runSchedule(t, one, true)
		return
	}
	const shards = 4
	var total, changes atomic.Int64
	t.Run("shards", func(t *testing.T) {
		for shard := range uint64(shards) {
			t.Run(strconv.FormatUint(shard, 10), func(t *testing.T) {
				t.Parallel()
				for seed := shard; seed < uint64(schedules()) && !t.Failed(); seed += shards {
					changes.Add(int64(runSchedule(t, seed, false)))
					total.Add(1)
				}
			})
		}
	})
	t.Logf("%d schedules, the role went from one process to another %d times", total.Load(), changes.Load())
}

// schedules is how many are run.
func schedules() int {
	if n, err := strconv.Atoi(os.Getenv("LOOPVITALS_SCHEDULES")); err == nil {
		return n
	}
	switch {
	case os.Getenv("LOOPVITALS_SOAK") != "":
		return 100_000
	case raceEnabled:
		return 500
	default:
		return 20_000
	}
}

// runSchedule runs the schedule of a seed, and returns how many times another
// process became the active one.
func runSchedule(t *testing.T, seed uint64, verbose bool) (changes int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, seed, verbose)
		for range s.processes {
			s.launch(len(s.all))
			s.pass(time.Duration(s.rng.IntN(1500)) * time.Millisecond)
		}
		for range 3 + s.rng.IntN(6) {
			s.strike()
		}
		s.heal()
		s.recover()
		s.finish()
		changes = s.verify()
		writes, _ := s.engine.revision()
		s.trace(fmt.Sprintf("%d writes, %d and %d claims", writes, len(s.byScope[0]), len(s.byScope[1])))
		if len(s.problems) > 0 {
			t.Errorf("schedule %d, to be run alone with LOOPVITALS_SEED=%d:\n%s", seed, seed, strings.Join(s.problems, "\n"))
		}
	})
	return changes
}

// recovery is within which time all is well after the last fault: what is late
// arrives and what is frozen thaws; then come the evictions that are due, a whole
// TTL in which a newcomer has missed nothing, and the hold that a removal unseen
// may leave.
const recovery = 20 * time.Second

// recover waits until all is well.
func (s *simulation) recover() {
	healed := time.Now()
	for not := s.settled(); not != ""; not = s.settled() {
		if time.Since(healed) > recovery {
			s.problem("%v after the last fault %s", recovery, not)
			return
		}
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
	}
	s.trace("settled")
}

// newSimulation draws what stays the same for one schedule.
func newSimulation(t *testing.T, seed uint64, verbose bool) *simulation {
	s := &simulation{
		t: t, seed: seed, verbose: verbose,
		rng: rand.New(rand.NewPCG(seed, 1)), began: time.Now(),
		engine:    newEngine(),
		processes: make([]*process, len(addresses)),
		roles:     make([][]string, len(addresses)),
		ttls:      []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second},
		rateError: 0.01,
		deletes:   true,
	}
	for i := range s.roles {
		if s.rng.IntN(4) > 0 {
			s.roles[i] = []string{"x"}
		}
	}
	if s.rng.IntN(4) == 0 {
		// A newcomer cannot know the TTL of a record that an operator has
		// deleted before it came.
		s.ttls[s.rng.IntN(len(s.ttls))] = 2 * time.Second
		s.deletes = false
	}
	s.now = s.anyWeather()
	s.engine.marks, s.engine.forgets = s.rng.IntN(2) == 0, s.rng.IntN(3) == 0
	return s
}

// anyWeather draws a weather.
func (s *simulation) anyWeather() weather {
	delay := func() time.Duration {
		return []time.Duration{time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond, 900 * time.Millisecond}[s.rng.IntN(4)]
	}
	w := weather{request: delay(), answer: delay(), watch: delay()}
	if s.rng.IntN(2) == 0 {
		w.lost, w.late = 0.1*s.rng.Float64(), 0.1*s.rng.Float64()
	}
	if s.rng.IntN(2) == 0 {
		w.stale = time.Duration(s.rng.IntN(4000)) * time.Millisecond
	}
	return w
}

// pass lets up to the time pass.
func (s *simulation) pass(d time.Duration) {
	time.Sleep(d + time.Duration(s.rng.IntN(1e6)))
	synctest.Wait()
}

// strike makes something happen, to the active process more often than not.
func (s *simulation) strike() {
	synctest.Wait() // what the last one has set off at this instant
	slot := s.rng.IntN(len(s.processes))
	if s.rng.IntN(3) > 0 {
		slot = s.active()
	}
	p := s.processes[slot]
	span := func(most time.Duration) time.Duration { return time.Duration(s.rng.Int64N(int64(most))) }
	fault := faults[s.rng.IntN(len(faults))]
	s.trace(fault.name+" ", slot)
	fault.strike(s, p, span)
	if s.rng.IntN(3) > 0 {
		s.pass(span(4 * time.Second))
	}
}

// heal ends all faults.
func (s *simulation) heal() {
	s.trace("heal")
	s.setWeather(calm)
	for i, p := range s.processes {
		select {
		case <-p.ended:
			s.problem("slot %d has ended by itself", i)
			p.kill()
			s.launch(i)
		default:
			p.link.set(func(l *linkState) { l.deaf, l.mute, l.stalled = false, false, false })
		}
	}
	time.Sleep(time.Second)
}

// fault is something that happens to a process or the engine. Its strike
// may take up to a few seconds, and may leave the fault in place.
type fault struct {
	name   string
	strike func(s *simulation, p *process, span func(most time.Duration) time.Duration)
}

var faults = []fault{
	{"kill", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.kill()
		if s.rng.IntN(2) == 0 {
			s.pass(span(5 * time.Second))
		}
		s.launch(p.slot)
	}},
	{"cut", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.deaf, l.mute = true, true })
		s.pass(span(6 * time.Second))
		if s.rng.IntN(3) > 0 {
			p.link.set(func(l *linkState) { l.deaf, l.mute = false, false })
		}
	}},
	{"answers lost", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.deaf = true })
		s.pass(span(5 * time.Second))
		p.link.set(func(l *linkState) { l.deaf = false })
	}},
	{"requests lost", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.mute = true })
		s.pass(span(5 * time.Second))
		p.link.set(func(l *linkState) { l.mute = false })
	}},
	{"freeze", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.thaw = time.Now().Add(span(6 * time.Second)) })
		if s.rng.IntN(2) == 0 {
			s.pass(span(6 * time.Second))
		}
	}},
	{"leave", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		s.leave(p, span(4*time.Second)+time.Second)
		if s.rng.IntN(2) == 0 {
			s.pass(span(3 * time.Second))
		}
		s.launch(p.slot)
	}},
	{"delete", func(s *simulation, p *process, span func(time.Duration) time.Duration) { s.operatorDeletes(p) }},
	{"cut and delete", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.deaf, l.mute = true, true })
		s.pass(span(2 * time.Second))
		s.operatorDeletes(p)
		if s.rng.IntN(2) == 0 { // those who have seen it are not there any more
			for _, other := range s.processes {
				if other != p && s.rng.IntN(3) > 0 {
					other.kill()
					s.launch(other.slot)
				}
			}
		}
		s.pass(span(5 * time.Second))
		p.link.set(func(l *linkState) { l.deaf, l.mute = false, false })
	}},
	{"engine freeze", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		s.mu.Lock()
		s.thaw = time.Now().Add(span(5 * time.Second))
		s.mu.Unlock()
	}},
	{"engine restart", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		s.mu.Lock()
		s.thaw = time.Now().Add(span(2 * time.Second))
		s.mu.Unlock()
		for _, each := range s.processes {
			each.link.set(func(l *linkState) { l.watches++ })
		}
	}},
	{"watch breaks", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.watches++ })
	}},
	{"watch stalls", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		p.link.set(func(l *linkState) { l.stalled = true })
		s.pass(span(5 * time.Second))
		if s.rng.IntN(2) == 0 {
			p.link.set(func(l *linkState) { l.watches++ })
		}
		p.link.set(func(l *linkState) { l.stalled = false })
	}},
	{"weather", func(s *simulation, p *process, span func(time.Duration) time.Duration) {
		s.setWeather(s.anyWeather())
	}},
}

// operatorDeletes deletes the record of a process, where that is part of the
// schedule.
func (s *simulation) operatorDeletes(p *process) {
	v := p.node.View()
	if !s.deletes {
		return
	}
	if key := s.engine.key(v.Self.Incarnation); key != "" {
		_, err := s.engine.remove(key, 0)
		s.trace("deleted ", p.slot, err)
	}
}

var _ casmember.KV = (*link)(nil)
