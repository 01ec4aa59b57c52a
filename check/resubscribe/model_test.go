package resubscribe

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is what the rules say of a history of calls, written down a second time and in
// another way: by what has happened, not by what is armed.
type model struct {
	t *rapid.T
	c Config // settled
	l ledger

	now     time.Time
	ids     []uint64 // of all attempts, and some that never were
	last    Attempt  // the newest attempt
	delay   time.Duration
	spread  time.Duration
	open    bool // it has no answer, is not lost and not superseded
	ended   string
	endedAt time.Time
	wanted  bool
	anew    bool
	row     int // of attempts that brought nothing
	lost    uint64
	epoch   uint64
	stopped bool
}

// earliest is when the next attempt may begin, if one is wanted and none is open.
func (m *model) earliest() time.Time {
	if m.last.ID == 0 {
		return m.now
	}
	at := m.endedAt // after a success and a restore
	switch m.ended {
	case "failed":
		at = m.endedAt.Add(m.delay)
	case "lost":
		at = m.last.Sent.Add(m.c.Ceiling).Add(m.spread)
	}
	if spaced := m.last.Sent.Add(m.c.Floor); at.Before(spaced) {
		return spaced
	}
	return at
}

func (m *model) end(how string) {
	m.open, m.ended, m.endedAt = false, how, m.now
}

// look is what Begin and Fail do first.
func (m *model) look() {
	got := m.l.presume(m.now)
	want := m.open && m.now.Sub(m.last.Sent) >= m.c.Ceiling
	if got != want {
		m.t.Fatalf("presume = %v at an age of %v, want %v", got, m.now.Sub(m.last.Sent), want)
	}
	if want {
		m.end("lost")
		m.row++
		m.lost++
		m.wanted, m.anew = true, false
	}
}

func (m *model) begin(random float64) {
	m.look()
	want := !m.stopped && m.wanted && !m.open && !m.now.Before(m.earliest())
	a, got := m.l.begin(m.now, random)
	if got != want {
		m.t.Fatalf("begin = %v, want %v: %+v", got, want, m)
	}
	if !got {
		return
	}
	if a.ID == m.last.ID || a.ID < m.last.ID || a.Epoch != m.epoch || !a.Sent.Equal(m.now) {
		m.t.Fatalf("attempt %+v after %+v in epoch %d", a, m.last, m.epoch)
	}
	if m.last.ID != 0 && m.now.Sub(m.last.Sent) < m.c.Floor {
		m.t.Fatalf("two sends %v apart", m.now.Sub(m.last.Sent))
	}
	m.last, m.delay, m.spread = a, m.l.delay, m.l.spread
	if want := m.c.backoff().next(m.row+1, random); m.delay != want {
		m.t.Fatalf("delay %v after %d in a row, want %v", m.delay, m.row, want)
	}
	if m.spread < 0 || m.spread > share(m.c.Jitter, m.c.Floor) {
		m.t.Fatalf("spread %v", m.spread)
	}
	m.open, m.ids = true, append(m.ids, a.ID)
}

// answer is a success or a failure of any attempt there ever was.
func (m *model) answer(id uint64, good bool) {
	if !good {
		m.look()
	}
	want, before := m.open && id == m.last.ID, m.l
	var got bool
	if good {
		got = m.l.succeed(m.now, id)
	} else {
		got = m.l.fail(m.now, id)
	}
	switch {
	case got != want:
		m.t.Fatalf("an answer to %d (good %v) = %v, want %v", id, good, got, want)
	case !want && m.l != before:
		m.t.Fatalf("a stale answer changed %+v to %+v", before, m.l)
	case !want:
	case good:
		m.end("succeeded")
		m.row, m.wanted, m.anew = 0, m.anew, false
	default:
		m.end("failed")
		m.row++
		m.wanted, m.anew = true, false
	}
}

func (m *model) restore() {
	m.l.restore(m.now)
	if m.stopped {
		return
	}
	m.epoch++
	m.end("superseded")
	m.row, m.wanted, m.anew = 0, true, false
}

func (m *model) resubscribe() {
	m.l.resubscribe(m.now)
	switch {
	case m.stopped:
	case m.open:
		m.anew = true
	case !m.wanted:
		m.wanted = true
		m.endedAt = m.now
	}
}

func (m *model) stop() {
	m.l.stop()
	m.stopped, m.open, m.wanted, m.anew = true, false, false, false
}

// check wants the ledger to say what the model does.
func (m *model) check() {
	l := m.l
	wait := l.wait(m.now)
	switch {
	case wait < 0:
		m.t.Fatalf("a wait of %v", wait)
	case l.inFlight != m.open || l.lost != m.lost || l.epoch != m.epoch || l.failures != m.row:
		m.t.Fatalf("ledger %+v, want open %v, lost %d, epoch %d, row %d", l, m.open, m.lost, m.epoch, m.row)
	case m.stopped || !m.open && !m.wanted:
		if wait != Never {
			m.t.Fatalf("a wait of %v when there is nothing to do", wait)
		}
	case m.open:
		left := max(0, m.c.Ceiling-m.now.Sub(m.last.Sent))
		if wait != min(m.delay, left) {
			m.t.Fatalf("a watchdog of %v, want the smaller of %v and %v", wait, m.delay, left)
		}
	default:
		if want := max(0, m.earliest().Sub(m.now)); wait != want {
			m.t.Fatalf("a wait of %v, want %v", wait, want)
		}
	}
}

// pass lets time go by: none, exactly up to what is armed, a step less, or any.
func (m *model) pass(how int, any time.Duration) {
	wait := m.l.wait(m.now)
	switch {
	case how == 0:
	case how <= 2 && wait != Never:
		m.now = m.now.Add(wait)
	case how == 3 && wait != Never && wait > 0:
		m.now = m.now.Add(wait - 1)
	case how == 4 && m.open:
		m.now = m.now.Add(max(0, m.c.Ceiling-m.now.Sub(m.last.Sent)))
	default:
		m.now = m.now.Add(any)
	}
}

// TestModel makes random histories of begins, answers to any attempt, losses, restores,
// and a stop, often at the same instant, and compares each step with the model, which
// never has two in flight below the ceiling in an epoch nor two sends closer than the
// floor. In the end it wants the guard to go on: one that is not stopped and wants
// something sends when it has waited as long as it was told.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := func(from, to int, name string) time.Duration {
			return time.Duration(rapid.IntRange(from, to).Draw(t, name)) * time.Second
		}
		floor := seconds(1, 10, "floor")
		c, err := Config{
			Key: "a", Floor: floor, Max: floor + seconds(0, 100, "max"), Ceiling: seconds(1, 60, "ceiling"),
			NoJitter: rapid.Bool().Draw(t, "no jitter"),
		}.settle()
		if err != nil {
			t.Fatal(err)
		}
		m := &model{
			t: t, c: c, l: newLedger(c), now: time.Unix(0, 0), ids: []uint64{0, 1 << 40},
			wanted: true, epoch: 1,
		}
		random := rapid.Float64Range(0, almostOne)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.pass(rapid.IntRange(0, 5).Draw(t, "pass"), seconds(0, 120, "time"))
			switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
			case what < 9:
				m.begin(random.Draw(t, "random"))
			case what < 12 && m.last.ID != 0:
				m.answer(m.last.ID, rapid.Bool().Draw(t, "good"))
			case what < 15:
				m.answer(rapid.SampledFrom(m.ids).Draw(t, "id"), rapid.Bool().Draw(t, "good"))
			case what < 17:
				m.restore()
			case what < 19:
				m.resubscribe()
			case rapid.IntRange(0, 5).Draw(t, "really") == 0:
				m.stop()
			}
			m.check()
		}
		sends := m.l.sends
		for range 200 { // watchdogs, the loss, the wait for its successor
			if m.stopped || !m.open && !m.wanted || m.l.sends > sends {
				return
			}
			m.now = m.now.Add(m.l.wait(m.now))
			m.begin(0.5)
			m.check()
		}
		t.Fatalf("a guard that does not go on: %+v", m.l)
	})
}
