package casmember_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// addresses are those of the slots; the first is the lowest.
var addresses = []string{"10.0.0.1:4053", "10.0.0.2:4053", "10.0.0.3:4053"}

// simulation is one schedule: three processes, an engine and what happens to
// them, all of it from one seed.
type simulation struct {
	t       *testing.T
	seed    uint64
	verbose bool
	rng     *rand.Rand // of the schedule; used by its goroutine only
	began   time.Time

	engine    *engine
	processes []*process
	all       []*process
	ttls      []time.Duration
	roles     [][]string
	rateError float64
	deletes   bool // by an operator

	mu       sync.Mutex
	youngest uint64
	now      weather
	thaw     time.Time
	byScope  [2][]claim
	problems []string
}

// claim is a span in which a process took itself for the active one.
type claim struct {
	process  *process
	token    uint64
	from, to time.Time
}

func (s *simulation) weather() weather {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *simulation) setWeather(w weather) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = w
}

func (s *simulation) engineThaw() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thaw
}

// youngestYet is the largest age that anybody was Up with.
func (s *simulation) youngestYet() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.youngest
}

// committed is when the revision was written.
func (s *simulation) committed(revision uint64) time.Time {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	return s.engine.times[revision-1]
}

// revisionAt is the newest revision of some time ago.
func (s *simulation) revisionAt(ago time.Duration) uint64 {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	then := time.Now().Add(-ago)
	n, _ := slices.BinarySearchFunc(s.engine.times, then, time.Time.Compare)
	return uint64(n)
}

// claimed takes what a view claimed while it was the newest one.
func (s *simulation) claimed(p *process, v *cluster.View, now cluster.Instant, from, to time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, scope := range scopes {
		s.byScope[i] = append(s.byScope[i], p.claims(v, now, from, to, scope)...)
	}
	if m, ok := v.Member(v.Self); ok && m.Status == cluster.Up {
		if m.Age <= p.older {
			s.problems = append(s.problems, fmt.Sprintf("slot %d is Up with age %d after %d was seen", p.slot, m.Age, p.older))
		}
		s.youngest = max(s.youngest, m.Age)
	}
}

// worked takes a unit of work that was done.
func (s *simulation) worked(c claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byScope[0] = append(s.byScope[0], c)
}

// verify looks for two claims of one scope at the same time, and for one that is
// later than one with a larger token. It returns how many times the process that
// claims without a role changed.
func (s *simulation) verify() (changes int) {
	for i, claims := range s.byScope {
		slices.SortFunc(claims, func(a, b claim) int { return a.from.Compare(b.from) })
		var last claim
		for _, c := range claims {
			if last.process != nil && last.process != c.process && c.from.Before(last.to) {
				s.problem("scope %v: slot %d claims from %v, slot %d until %v: overlap %v", scopes[i],
					c.process.slot, c.from.Sub(s.began), last.process.slot, last.to.Sub(s.began), minTime(last.to, c.to).Sub(c.from))
			}
			if last.process != nil && c.token < last.token {
				s.problem("scope %v: token %d at %v after token %d", scopes[i], c.token, c.from.Sub(s.began), last.token)
			}
			if last.process != c.process && i == 0 {
				changes++
			}
			if last.process == nil || c.to.After(last.to) || c.token > last.token {
				last = c
			}
		}
	}
	return changes
}

func (s *simulation) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// trace tells what the schedule does when one is looked at.
func (s *simulation) trace(what string, args ...any) {
	if s.verbose {
		s.t.Log(time.Since(s.began), what, fmt.Sprint(args...))
	}
}

// settled tells what is not well yet: every process must be Up and confirmed,
// and one of them active.
func (s *simulation) settled() (not string) {
	active := 0
	for _, p := range s.processes {
		v := p.node.View()
		if m, ok := v.Member(v.Self); !ok || m.Status != cluster.Up || p.clock.Now() >= v.ValidUntil {
			return fmt.Sprintf("slot %d is not well: %+v", p.slot, v)
		}
		if cluster.Ask(p.node).Active {
			active++
		}
	}
	if active != 1 {
		return fmt.Sprintf("%d are active", active)
	}
	return ""
}

// finish kills all processes and waits for what they have started.
func (s *simulation) finish() {
	for _, p := range s.processes {
		p.kill()
	}
	for _, p := range s.all {
		p.loops.Wait()
	}
}

// active is the slot of the active process, or any.
func (s *simulation) active() int {
	for i, p := range s.processes {
		if cluster.Ask(p.node).Active {
			return i
		}
	}
	return s.rng.IntN(len(s.processes))
}

// leave has a process leave, within the time given, and ends it.
func (s *simulation) leave(p *process, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := p.node.Leave(ctx)
	s.trace("left", p.slot, err)
	p.kill()
	<-p.ended
}
