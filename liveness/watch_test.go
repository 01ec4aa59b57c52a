package liveness

import (
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestGraceTable: whose silence it was (design: the observer doubts itself
// first). A line reports at 100 s and never again; its bound is 5 s.
func TestGraceTable(t *testing.T) {
	const reported = 100 * second
	tests := []struct {
		name    string
		now     time.Duration
		late    bool
		resumes []time.Duration
		want    Reason
	}{
		{"never late, at the bound", reported + bound, false, nil, Running},
		{"never late, past the bound", reported + bound + 1, false, nil, Stale},
		{"late now", reported + time.Hour, true, nil, ObserverLate},
		{"resumed, grace not over", 150*second + bound, false, []time.Duration{150 * second}, ObserverLate},
		{"resumed, grace over", 150*second + bound + 1, false, []time.Duration{150 * second}, Stale},
		{"resumed at the instant of the report", reported + bound + 1, false, []time.Duration{reported}, Stale},
		{"resumed before the report", reported + bound + 1, false, []time.Duration{reported - 1}, Stale},
		{"resumed at the instant of the report, late again", 200 * second, true, []time.Duration{reported}, ObserverLate},
		{"resumed before the report, late again", 200 * second, true, []time.Duration{reported - 1}, ObserverLate},
		{"grace over, late again: it is spent", 200 * second, true, []time.Duration{150 * second}, Stale},
		{"grace over, resumed again: not renewed", 200*second + 1, false, []time.Duration{150 * second, 200 * second}, Stale},
		{"grace over, resumed often", 200 * second, false, []time.Duration{150 * second, 160 * second, 170 * second, 199 * second}, Stale},
		{"second of two resumes within the grace", 153 * second, false, []time.Duration{150 * second, 152 * second}, ObserverLate},
		{"early resumes do not count", 153 * second, false, []time.Duration{1, 2, 3, 99 * second, 150 * second}, ObserverLate},
		{"a resume in the future is a resume", 120 * second, false, []time.Duration{130 * second}, ObserverLate},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := Watch{Now: test.now, Late: test.late, Resumes: test.resumes}
			age := test.now - reported
			for _, c := range []struct {
				line board.Line
				want Reason
			}{
				{line(board.Running, age), test.want},
				{line(board.Busy, age), map[Reason]Reason{Running: Busy, Stale: Stuck, ObserverLate: ObserverLate}[test.want]},
				{line(board.Unreported, age), map[Reason]Reason{Running: Unreported, Stale: NeverStarted, ObserverLate: ObserverLate}[test.want]},
			} {
				p := Policy{StartWithin: bound}
				v := p.Judge(board.Observation{Key: "orders", Interval: 250 * ms, Line: c.line}, w)
				if v.Reason != c.want {
					t.Errorf("%v: verdict = %v, want %v", c.line.State, v.Reason, c.want)
				}
			}
		})
	}
}

// TestGraceIsPerWorker: one worker's spent grace is not another's.
func TestGraceIsPerWorker(t *testing.T) {
	w := Watch{Now: 200 * second, Resumes: []time.Duration{150 * second, 199 * second}}
	// w0 reported at 120 s, so its grace ran from 150 s; w1 at 160 s.
	o := pool(line(board.Unreported, 0), line(board.Running, 80*second), line(board.Running, 40*second))
	if v := (Policy{}).Judge(o, w); v.Reason != Stale || v.Worker != "w0" {
		t.Errorf("verdict = %v %q, want stale w0", v.Reason, v.Worker)
	}
	o.Workers = o.Workers[1:]
	if v := (Policy{}).Judge(o, w); v.Reason != ObserverLate || v.Worker != "w1" {
		t.Errorf("verdict = %v %q, want observer_late w1", v.Reason, v.Worker)
	}
}

// TestHeard: what the observer can vouch for.
func TestHeard(t *testing.T) {
	w := Watch{Now: 200 * second, Resumes: []time.Duration{150 * second, 170 * second}}
	for _, test := range []struct{ age, want time.Duration }{
		{100 * second, 50 * second}, {50*second + 1, 50 * second}, {50 * second, 30 * second}, {30 * second, 30 * second}, {29 * second, 29 * second}, {0, 0},
	} {
		if got := w.heard(test.age); got != test.want {
			t.Errorf("heard(%v) = %v, want %v", test.age, got, test.want)
		}
	}
}
