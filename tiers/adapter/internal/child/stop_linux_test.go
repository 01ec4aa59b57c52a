package child

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"
)

// stopSlack is what a busy machine may add to the bound of a stop.
const stopSlack = 10 * time.Second

// TestStopHung stops hung commands (A10, row 44).
func TestStopHung(t *testing.T) {
	list := slices.DeleteFunc(mischiefs(""), func(m mischief) bool { return m.want != Timeout || m.runs })
	var longest time.Duration
	for i := range times(12, 100) {
		m, mark := list[i%len(list)], newMark()
		took, err := m.interrupt(Config{}, mark)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		longest = max(longest, took)
		nothingLeft(t, mark)
	}
	if longest == 0 {
		t.Error("no run was stopped before its limit")
	}
	t.Logf("at most %v from a stop to the end of its run", longest)
}

// TestStopBeforeAndAfter stops runners that run nothing, and runs stopped ones.
func TestStopBeforeAndAfter(t *testing.T) {
	before := descriptors()
	for _, runs := range []int{0, 1, 2} {
		mark := newMark()
		r := newRunner(t, Config{Argv: act("print", mark)})
		for range runs {
			if _, _, err := r.Run(); kindOf(err) != 0 && kindOf(err) != Timeout {
				t.Error(err)
			}
		}
		for range 3 {
			r.Stop()
			if output, started, err := r.Run(); kindOf(err) != Stopped || output != nil || started.IsZero() {
				t.Errorf("after %d runs: got %q, %v, %v", runs, output, started, err)
			}
		}
		nothingLeft(t, mark)
	}
	if after := descriptors(); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// TestStopRace stops in the moment in which a run starts or ends.
func TestStopRace(t *testing.T) {
	before := descriptors()
	for range times(30, 1000) {
		mark := newMark()
		r := newRunner(t, Config{Argv: act("print", mark)})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				if _, _, err := r.Run(); kindOf(err) == Stopped {
					return
				}
			}
		}()
		time.Sleep(rand.N(10 * time.Millisecond))
		go r.Stop()
		r.Stop()
		<-done
		nothingLeft(t, mark)
	}
	if after := descriptors(); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// TestSecondRun sees that runs do not overlap (S2.13). On a busy machine, the first
// one may be over before the second is tried.
func TestSecondRun(t *testing.T) {
	for range 10 {
		mark := newMark()
		r := newRunner(t, Config{Argv: act("hang", mark)})
		done := make(chan error, 1)
		go func() { _, _, err := r.Run(); done <- err }()
		eventually(t, "the command runs", func() bool { return len(survivors(mark)) > 0 || len(done) > 0 })
		_, _, err := r.Run()
		r.Stop()
		<-done
		nothingLeft(t, mark)
		if kindOf(err) == NotStarted {
			return
		}
	}
	t.Error("no second run was refused")
}

// TestUnkillable sees a bound on the wait for a command that does not die, by
// which nothing can be blocked for ever (A9).
func TestUnkillable(t *testing.T) {
	for _, stop := range []bool{false, true} {
		mark := newMark()
		r := newRunner(t, Config{Argv: act("hang", mark), Timeout: briefly})
		kill := r.engine.kill
		r.engine.kill = func(int, syscall.Signal) error { return nil }
		if stop {
			time.AfterFunc(briefly/3, r.Stop)
		}
		_, started, err := r.Run()
		took := time.Since(started)
		want, patience := Timeout, briefly+killPatience
		if stop {
			want, patience = Stopped, stopPatience
		}
		failure, _ := err.(*Error)
		if failure == nil || failure.Left != 1 || failure.Kind != want && !(stop && failure.Kind == Timeout) {
			t.Errorf("stop %v: got %v, want %q and 1 left", stop, err, want)
		}
		if took < patience-briefly/2 || took > patience+stopSlack {
			t.Errorf("stop %v: took %v, want about %v", stop, took, patience)
		}
		if stop {
			exterminate(mark)
			eventually(t, "its death", func() bool { return (&process{pid: r.engine.left}).dead() })
			(&process{pid: r.engine.left}).reap()
			continue
		}
		// No second command beside it.
		if _, _, err := r.Run(); kindOf(err) != NotStarted || len(survivors(mark)) != 1 {
			t.Errorf("got %v and the commands %v", err, survivors(mark))
		}
		// It dies at last, and the runner goes on.
		r.engine.kill = kill
		_, _, err = r.Run()
		eventually(t, "it goes on", func() bool { _, _, err = r.Run(); return kindOf(err) == Timeout })
		nothingLeft(t, mark)
	}
}

// TestStopShortensThePatience stops while a command that was killed does not die.
func TestStopShortensThePatience(t *testing.T) {
	r := newRunner(t, Config{Argv: act("hang", newMark())})
	w := r.engine.patienceAfter(expired)
	before := w.until
	r.engine.interrupt()
	r.engine.pause(w, -1, killPatience)
	if !w.hurried || !w.until.Before(before) {
		t.Errorf("waits until %v, at first until %v, hurried: %v", w.until, before, w.hurried)
	}
	once := w.until
	r.engine.pause(w, -1, time.Millisecond)
	if w.until != once {
		t.Error("it was hurried again, and so waits longer")
	}
}
