package liveness

import (
	"sort"
	"time"
)

// Watch is what the observer knows of itself at the moment of judging. A process
// that was frozen sees old beats when it wakes, but that silence was its own:
// before the observer calls a loop silent it asks whether it was there to hear.
// The zero Watch is an observer that was never late.
type Watch struct {
	// Now is the moment of judging, on the scale of board.Board.Now: the time
	// since the board's base. An age counts back from it.
	Now time.Duration
	// Late says that the observer is late at this moment.
	Late bool
	// Resumes holds when the observer was there again after having been late,
	// on the scale of Now, ascending. Only those matter that are the first one
	// after some line's last report.
	Resumes []time.Duration
}

// excuses tells whether a silence of the given age, past its bound, may be the
// observer's own. The grace runs for one bound from the first resume after the
// last report. Later resumes do not renew it, and neither does being late
// again: a silence has one grace, so repeated freezes cannot hide a wedge.
func (w *Watch) excuses(age, bound time.Duration) bool {
	if resumed, ok := w.firstResume(age); ok {
		return w.Now-resumed <= bound
	}
	return w.Late
}

// firstResume returns the first resume after a report of the given age.
func (w *Watch) firstResume(age time.Duration) (time.Duration, bool) {
	reported := w.Now - age
	i := sort.Search(len(w.Resumes), func(i int) bool { return w.Resumes[i] > reported })
	if i == len(w.Resumes) {
		return 0, false
	}
	return w.Resumes[i], true
}

// heard is how much of a silence of the given age the observer can vouch for:
// all of it, or what came after the first resume.
func (w *Watch) heard(age time.Duration) time.Duration {
	if resumed, ok := w.firstResume(age); ok {
		return w.Now - resumed
	}
	return age
}
