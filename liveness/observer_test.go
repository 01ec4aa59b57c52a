package liveness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// observed is a board and an observer of it whose ticks the test makes.
func observed(t *testing.T) (*rig, *observer) {
	t.Helper()
	r := newRig(t)
	return r, &r.m.observer
}

// TestObserverLateness: an observer is late from just past five ticks on, and
// notes a resume when a tick came that late.
func TestObserverLateness(t *testing.T) {
	r, ob := observed(t)
	want := func(wantLate bool, wantResumes ...time.Duration) {
		t.Helper()
		w, _ := ob.watch()
		if w.Late != wantLate || !slices.Equal(w.Resumes, wantResumes) || w.Now != r.board.Now() {
			t.Errorf("at %v: %+v, want late %v resumes %v", r.board.Now(), w, wantLate, wantResumes)
		}
	}
	r.clock.set(time.Hour)
	want(false) // not started: nobody knows
	if !ob.start() {
		t.Fatal("first start refused")
	}
	if ob.start() {
		t.Error("second start accepted")
	}
	want(false)
	r.clock.add(lateAfter)
	want(false)
	r.clock.add(1)
	want(true)
	ob.tick()
	want(false, time.Hour+lateAfter+1)
	r.clock.add(lateAfter)
	ob.tick()
	want(false, time.Hour+lateAfter+1)
	r.clock.add(time.Minute)
	want(true, time.Hour+lateAfter+1)
	ob.stop()
	want(false, time.Hour+lateAfter+1) // nobody ticks any more, so nobody is late
	if !ob.start() {
		t.Error("start after stop refused")
	}
}

// TestLateness: what is exported.
func TestLateness(t *testing.T) {
	r, ob := observed(t)
	want := func(want time.Duration) {
		t.Helper()
		if got, _ := r.m.Lateness(); got != want {
			t.Errorf("at %v: lateness %v, want %v", r.board.Now(), got, want)
		}
	}
	r.clock.add(time.Hour)
	want(0)
	ob.start()
	want(0)
	r.clock.add(tick)
	want(0)
	r.clock.add(2 * second)
	want(2 * second)
	ob.tick()
	want(2 * second) // the newest tick came that late
	r.clock.add(tick)
	ob.tick()
	want(0)
	ob.stop()
	r.clock.add(time.Hour)
	want(0)
}

// TestPruneKeepsFirsts: a resume is kept as long as it is the first one after
// some line's last report, and so is the newest.
func TestPruneKeepsFirsts(t *testing.T) {
	r, ob := observed(t)
	ob.start()
	freeze := func() { // one minute long
		r.clock.add(time.Minute)
		ob.tick()
	}
	beat := func(name string) *board.Reporter {
		x := r.register(name, 0)
		r.clock.add(second)
		x.Beat()
		return x
	}
	a := beat("a")
	freeze() // the first for a
	freeze() // the first for nobody
	beat("b")
	freeze() // the first for b
	freeze()
	freeze()
	want := []time.Duration{time.Minute + second, 3*time.Minute + 2*second, 5*time.Minute + 2*second}
	if got := ob.known(); !slices.Equal(got, want) {
		t.Errorf("resumes = %v, want %v", got, want)
	}
	r.clock.add(second)
	a.Beat()
	r.board.Remove("b")
	freeze()
	if got, want := ob.known(), []time.Duration{6*time.Minute + 3*second}; !slices.Equal(got, want) {
		t.Errorf("resumes = %v, want %v", got, want)
	}
}

// TestResumesStayFew: a process that freezes for ever keeps no more resumes than
// it has lines, one more for the newest.
func TestResumesStayFew(t *testing.T) {
	r, ob := observed(t)
	ob.start()
	var loops []*board.Reporter
	for i := range 10 {
		loops = append(loops, r.register(fmt.Sprint(i), 0))
	}
	worker, err := loops[0].Worker("worker")
	if err != nil {
		t.Fatal(err)
	}
	loops = append(loops, worker)
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		loops[random.IntN(len(loops))].Beat()
		r.clock.add(lateAfter + 1)
		ob.tick()
		if n := len(ob.known()); n > len(loops)+1 {
			t.Fatalf("%d resumes are kept for %d lines", n, len(loops))
		}
	}
}

// TestPruningChangesNoVerdict compares with an observer that forgets nothing,
// over random lives with many freezes.
func TestPruningChangesNoVerdict(t *testing.T) {
	seeds := 300
	if soak {
		seeds = 30_000
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		r, ob := observed(t)
		ob.start()
		var all []time.Duration // every resume
		loops := []*board.Reporter{r.register("a", 0), r.register("b", 0), r.register("c", second)}
		for range 200 {
			switch l := loops[random.IntN(len(loops))]; random.IntN(8) {
			case 0, 1, 2:
				l.Beat()
			case 3:
				l.Busy()
			case 4:
				l.Idle()
			}
			r.clock.add(time.Duration(random.Int64N(int64(3 * second))))
			if random.IntN(2) == 0 {
				ob.tick()
				if known := ob.known(); len(known) > 0 && (len(all) == 0 || known[len(known)-1] > all[len(all)-1]) {
					all = append(all, known[len(known)-1])
				}
			}
			w, _ := ob.watch()
			full := Watch{Now: w.Now, Late: w.Late, Resumes: all}
			for o := range r.board.All() {
				got, want := Policy{}.Judge(o, w), Policy{}.Judge(o, full)
				if got != want {
					t.Fatalf("seed %d at %v: %s: %v with %v, %v with %v", seed, w.Now, o.Key, got.Reason, w.Resumes, want.Reason, all)
				}
			}
		}
	}
}

// TestFreezeInTheMiddleOfAPass: the process freezes after the look at the
// observer and before the reading of the board. The ages hold the freeze, the
// watch does not, and no wedge may come of it.
func TestFreezeInTheMiddleOfAPass(t *testing.T) {
	tests := []struct {
		name   string
		resume func(*observer)
	}{
		{"seen by the reader", func(*observer) {}},
		{"seen by the next tick", func(ob *observer) { ob.tick() }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, ob := observed(t)
			ob.start()
			orders := r.register("orders", 0)
			orders.Beat()
			p := r.m.begin()
			defer r.m.end(p)
			r.clock.add(time.Hour)
			test.resume(ob)
			if !p.disturbed() {
				t.Fatal("the pass was not made anew")
			}
			o, _ := r.board.Get("orders")
			if v := (Policy{}).Judge(o, p.watch); v.Reason != ObserverLate {
				t.Errorf("verdict = %v, want observer_late", v.Reason)
			}
			if p.disturbed() {
				t.Error("an undisturbed pass was made anew")
			}
		})
	}
}

// freezing is a clock that stands for a process which freezes for an hour just
// before the given reading of it, counted down to.
type freezing struct {
	hand
	readings int
}

func (f *freezing) Now() time.Time {
	if f.readings--; f.readings == 0 {
		f.add(time.Hour)
	}
	return f.hand.Now()
}

// TestFreezeAtEveryReading: wherever in an answer the process freezes, the
// answer is whole and holds no false wedge.
func TestFreezeAtEveryReading(t *testing.T) {
	keys := []string{"a", "b", "c"}
	wedged := func(v Verdict) bool { return v.Reason != Running && v.Reason != ObserverLate }
	answers := map[string]func(m *Monitor) bool{
		"Verdicts": func(m *Monitor) bool {
			all := m.Verdicts()
			return len(all) == len(keys) && !slices.ContainsFunc(all, wedged)
		},
		"All": func(m *Monitor) bool {
			n := 0
			for _, v := range m.All() {
				if n++; wedged(v) {
					return false
				}
			}
			return n == len(keys)
		},
		"Verdict": func(m *Monitor) bool {
			v, ok := m.Verdict("b")
			return ok && !wedged(v)
		},
		"Check": func(m *Monitor) bool {
			got := m.Check(t.Context())
			return got.Status != check.Unhealthy && got.Data["total"] == len(keys)
		},
		"Wedged": func(m *Monitor) bool { return m.Wedged(0).Check(t.Context()).Status == check.Healthy },
	}
	for name, right := range answers {
		for reading := range 8 {
			clock := new(freezing)
			b := board.New(board.WithClock(clock))
			m, err := NewMonitor(b)
			if err != nil {
				t.Fatal(err)
			}
			m.observer.start()
			for _, key := range keys {
				b.MustRegister(board.Spec{ID: key}).Beat()
			}
			clock.readings = reading + 1
			if !right(m) {
				t.Errorf("%s: a freeze before reading %d of the clock shows", name, reading)
			}
		}
	}
}

// TestFreezeInEveryPass: passes come to an end even if each is disturbed, and
// then count the observer as late.
func TestFreezeInEveryPass(t *testing.T) {
	r, ob := observed(t)
	ob.start()
	p := r.m.begin()
	defer r.m.end(p)
	for i := 0; ; i++ {
		r.clock.add(time.Hour)
		ob.tick()
		if !p.disturbed() {
			break
		}
		if i > maxAttempts {
			t.Fatal("the pass is made anew for ever")
		}
	}
	if !p.watch.Late {
		t.Error("the observer does not count as late")
	}
}

// TestCoarseClockStalls: beats that were made while the board's coarse clock
// stood still look old when it goes on. That is a resume like any other, known
// to every reader at once, and spent once.
func TestCoarseClockStalls(t *testing.T) {
	r, ob := observed(t)
	var resumed time.Duration
	ob.coarseResumed = func() (time.Duration, bool) { return resumed, resumed != 0 }
	p := r.register("P", 0)
	p.Beat()
	r.clock.add(10 * second)
	resumed = 10 * second
	r.want("P", Stale) // without Run there is no grace
	ob.start()
	p.Beat()
	r.clock.add(10 * second)
	ob.ticked.Store(int64(r.board.Now()) + 1) // the tick itself was in time
	reader := r.m.begin()
	defer r.m.end(reader)
	resumed = 20 * second
	if !reader.disturbed() {
		t.Error("a pass across the resume was not made anew")
	}
	r.want("P", ObserverLate) // before the tick
	ob.tick()
	r.want("P", ObserverLate)
	run := func(d time.Duration) {
		for end := r.board.Now() + d; r.board.Now() < end; {
			r.clock.add(min(tick, end-r.board.Now()))
			ob.tick()
		}
	}
	run(bound)
	r.want("P", ObserverLate)
	run(1)
	r.want("P", Stale)
	resumed = r.board.Now() // stalls again
	r.want("P", Stale)
	ob.tick()
	r.want("P", Stale)
	if n := len(ob.known()); n > 2 {
		t.Errorf("%d resumes are kept for one line", n)
	}
}
