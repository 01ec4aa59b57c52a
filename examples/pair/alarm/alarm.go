// Package alarm evaluates readings of sensors. It is pure, so two nodes that read
// the same input come to the same transitions, by the same numbers.
package alarm

import (
	"maps"
	"sync"
)

// Reading is what a sensor has measured.
type Reading struct {
	Tag   string  `json:"tag"`
	Value float64 `json:"value"`
}

// Limit is when an alarm is raised and cleared: at High and above, and below High
// by more than Band. Between the two it stays what it was.
type Limit struct{ High, Band float64 }

// Transition is an alarm that was raised or cleared.
type Transition struct {
	// Seq is the number of the reading in the input. A reading makes one
	// transition at most, so it is also the transition's id: both nodes know
	// it, and nobody hands it out.
	Seq    uint64  `json:"seq"`
	Tag    string  `json:"tag"`
	Raised bool    `json:"raised"`
	Value  float64 `json:"value"`
}

// Condition is the present state of one alarm.
type Condition struct {
	Active bool `json:"active"`
	// Acknowledged tells that an operator has seen it since it was raised.
	Acknowledged bool `json:"acknowledged"`
	// Since is the number of the reading that raised or cleared it last.
	Since uint64 `json:"since"`
}

// State is what has become of all readings so far. All methods may be called by
// any goroutine; Take by one at a time, in the order of the input.
type State struct {
	limit Limit

	mu     sync.Mutex
	seq    uint64
	alarms map[string]Condition
}

// New returns the state before the first reading. All tags have the one limit.
func New(l Limit) *State { return &State{limit: l, alarms: map[string]Condition{}} }

// Take evaluates one reading. changed tells whether it made a transition. One that
// was taken before, by its number, makes none.
func (s *State) Take(seq uint64, r Reading) (t Transition, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq <= s.seq {
		return Transition{}, false
	}
	s.seq = seq
	c := s.alarms[r.Tag]
	raised := r.Value >= s.limit.High || (c.Active && r.Value >= s.limit.High-s.limit.Band)
	if raised == c.Active {
		return Transition{}, false
	}
	s.alarms[r.Tag] = Condition{Active: raised, Since: seq}
	return Transition{Seq: seq, Tag: r.Tag, Raised: raised, Value: r.Value}, true
}

// Acknowledge notes that an operator has seen the alarm; false when it is not
// active.
func (s *State) Acknowledge(tag string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.alarms[tag]
	if !c.Active {
		return false
	}
	c.Acknowledged = true
	s.alarms[tag] = c
	return true
}

// Snapshot returns the number of the newest reading, and all alarms there ever
// were by tag.
func (s *State) Snapshot() (seq uint64, alarms map[string]Condition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq, maps.Clone(s.alarms)
}
