package liveness

import (
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// settleTime is how soon after one transition of a processor an improvement may
// be published.
const settleTime = time.Second

// Transition is a change of one processor's verdict, as Run saw it. A processor
// that is seen for the first time comes from Unreported. Going round between
// running, idle and busy is no change.
type Transition struct {
	// FromStatus and From are what was published last.
	FromStatus check.Status
	From       Reason
	// To is the new verdict. When Gone it has only the Key.
	To Verdict
	// Err is the cause of a fault. It may hold secrets: for logs only.
	Err error
	// Gone says that the processor left the board while it was not healthy, so
	// that whoever remembers that can forget it.
	Gone bool
}

// standing is what was published last of one processor.
type standing struct {
	key    string
	status check.Status
	reason Reason
	at     time.Duration
}

// journal finds the transitions between one tick and the next. Only Run's
// goroutine uses it. Both sides are in key order, so they are merged without a
// search; a processor costs 64 bytes, and one that is gone none. Of a processor
// that was registered after NewMonitor it also finds whether its policy fits.
type journal struct {
	known, next []standing
	seen        int // of known
	changes     []Transition
	misfits     []misfit
}

// misfit is a processor whose policy is shorter than its interval.
type misfit struct {
	key      string
	interval time.Duration
	err      error
}

// read goes over the board and leaves what changed in changes and misfits.
func (j *journal) read(m *Monitor) {
	p := m.begin()
	defer m.end(p)
	j.begin()
	for s := p.sweep(); s.Next(); {
		if p.well(s.Running()) && j.well(s.Key()) {
			continue
		}
		if p.judge(&s) {
			j.judged(p)
		}
	}
	j.gone("", true)
	j.known, j.next = j.next, j.known
}

func (j *journal) begin() {
	j.next, j.changes, j.misfits, j.seen = j.next[:0], j.changes[:0], j.misfits[:0], 0
}

// well takes in a processor that is well, if that is no news.
func (j *journal) well(key string) bool {
	j.gone(key, false)
	if j.seen == len(j.known) || j.known[j.seen].key != key || j.known[j.seen].reason != Running {
		return false
	}
	j.next = append(j.next, j.known[j.seen])
	j.seen++
	return true
}

// judged takes in one processor.
func (j *journal) judged(p *pass) {
	o, v, now := &p.seen, &p.verdict, p.watch.Now
	j.gone(o.Key, false)
	s := standing{key: o.Key, status: check.Healthy, reason: Unreported, at: now - settleTime}
	if j.seen < len(j.known) && j.known[j.seen].key == o.Key {
		s = j.known[j.seen]
		j.seen++
	} else if err := p.policyOfSeen().fits(o.Interval); err != nil {
		j.misfits = append(j.misfits, misfit{o.Key, o.Interval, err})
	}
	if reason := turn(v.Reason); s.due(v.Status, reason, now) {
		j.changes = append(j.changes, Transition{FromStatus: s.status, From: s.reason, To: *v, Err: cause(o)})
		s.status, s.reason, s.at = v.Status, reason, now
	}
	j.next = append(j.next, s)
}

// gone notes the processors before key, or all that are left, as gone.
func (j *journal) gone(key string, all bool) {
	for j.seen < len(j.known) && (all || strings.Compare(j.known[j.seen].key, key) < 0) {
		s := &j.known[j.seen]
		j.seen++
		if s.status != check.Healthy {
			j.changes = append(j.changes, Transition{
				FromStatus: s.status, From: s.reason, To: Verdict{Key: s.key}, Gone: true,
			})
		}
	}
}

// due tells whether a verdict is to be published. What gets worse is published
// at once. What gets better waits until a second after the last transition, so
// that a processor that flaps publishes twice a second at most, and never ends
// on the wrong word.
func (s *standing) due(status check.Status, reason Reason, now time.Duration) bool {
	if status == s.status && reason == s.reason {
		return false
	}
	worse := status < s.status || status == s.status && status != check.Healthy && reason < s.reason
	return worse || now-s.at >= settleTime
}

// turn is the reason without the place in its turn that a loop is at.
func turn(r Reason) Reason {
	if r == Idle || r == Busy {
		return Running
	}
	return r
}

// cause is why a processor faulted.
func cause(o *board.Observation) error {
	if o.State != board.Faulted {
		return nil
	}
	return o.Err
}
