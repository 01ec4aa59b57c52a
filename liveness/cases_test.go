package liveness

import (
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
)

// The field cases that concern verdicts, each as a kind of fault with several
// inputs. Times are seconds on the board's clock.

// secondsOf turns seconds into a Duration.
func secondsOf(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

// TestCase101OnlyTheLoopsOwnBeatCounts: a hung loop stays visible however much
// goes on around it: siblings, evaluations, lag sampled from outside, another
// worker of its own pool.
func TestCase101OnlyTheLoopsOwnBeatCounts(t *testing.T) {
	noises := map[string]func(r *rig, p, q, worker *board.Reporter){
		"sibling beats":     func(_ *rig, _, q, _ *board.Reporter) { q.Beat() },
		"evaluations":       func(r *rig, _, q, _ *board.Reporter) { q.Beat(); r.m.Verdicts(); r.wantAny() },
		"lag from outside":  func(_ *rig, p, q, _ *board.Reporter) { q.Beat(); p.SetLag(3) },
		"position likewise": func(r *rig, p, q, _ *board.Reporter) { q.Beat(); p.SetPosition(int64(r.board.Now())) },
		"a worker's beats":  func(_ *rig, _, q, worker *board.Reporter) { q.Beat(); worker.Beat() },
	}
	for name, noise := range noises {
		for _, interval := range []time.Duration{100 * ms, 250 * ms, second} {
			t.Run(fmt.Sprint(name, " ", interval), func(t *testing.T) {
				r := newRig(t)
				p, q := r.register("P", interval), r.register("Q", interval)
				worker, err := p.Worker("one")
				if err != nil {
					t.Fatal(err)
				}
				r.beatUntil(2*second, interval, func() { p.Beat(); q.Beat() })
				until := func(s float64) {
					r.beatUntil(secondsOf(s), 100*ms, func() { noise(r, p, q, worker) })
				}
				until(6.9)
				if v := r.want("P", Running); v.Age != 4900*ms {
					t.Errorf("age = %v, want 4.9s", v.Age)
				}
				r.wantStatus(check.Healthy)
				until(7.1)
				if v := r.want("P", Stale); v.Age != 5100*ms {
					t.Errorf("age = %v, want 5.1s", v.Age)
				}
				r.want("Q", Running)
				r.wantStatus(check.Unhealthy)
				until(60)
				if v := r.want("P", Stale); v.Age != 58*second {
					t.Errorf("age = %v, want 58s", v.Age)
				}
			})
		}
	}
}

func (r *rig) wantAny() { r.m.Check(r.Context()) }

// TestCase102IdleIsNotStopped: progress is completed turns and not work done,
// and the same loop is caught once its turns stop.
func TestCase102IdleIsNotStopped(t *testing.T) {
	for _, empty := range []time.Duration{10 * time.Minute, 3 * time.Hour} {
		for name, turn := range map[string]func(*board.Reporter){
			"beats":             (*board.Reporter).Beat,
			"beats with lag 0":  func(p *board.Reporter) { p.BeatLag(0) },
			"position as it is": func(p *board.Reporter) { p.SetPosition(42); p.BeatLag(0) },
			"idles and beats":   func(p *board.Reporter) { p.Idle(); p.BeatLag(0) },
			"busy with nothing": func(p *board.Reporter) { p.Busy(); p.Done(); p.SetLag(0) },
		} {
			t.Run(fmt.Sprint(name, " ", empty), func(t *testing.T) {
				r := newRig(t, WithPolicy(Policy{StalledAfter: time.Minute}))
				p := r.register("P", 250*ms)
				for _, until := range []time.Duration{5500 * ms, 301 * second, empty} {
					r.beatUntil(until, 250*ms, func() { turn(p) })
					if v := r.want("P", Running); v.Age != 0 || v.Lag != 0 {
						t.Errorf("at %v: age %v lag %d", until, v.Age, v.Lag)
					}
				}
				r.clock.add(200 * ms)
				r.want("P", Running)
				r.clock.add(5100 * ms)
				r.want("P", Stale)
			})
		}
	}
	t.Run("waits without a bound", func(t *testing.T) {
		r := newRig(t)
		p := r.register("P", 250*ms)
		p.BeatLag(0)
		p.Idle()
		r.clock.add(1000 * time.Hour)
		r.want("P", Idle)
		p.Beat()
		r.clock.add(5*second + 1)
		r.want("P", Stale)
	})
}

// TestCase103EachCadenceItsOwnBound: the bound follows the interval, and every
// surface gives the same verdict at the same instant.
func TestCase103EachCadenceItsOwnBound(t *testing.T) {
	r := newRig(t)
	cadences := map[string]time.Duration{"A": 250 * ms, "B": 2 * second, "C": time.Minute, "D": 0}
	for id, interval := range cadences {
		r.register(id, interval).Beat()
	}
	unhealthy := map[float64]string{
		4: "", 5: "", 5.5: "AD", 10: "AD", 10.5: "ABD", 61: "ABD", 300: "ABD", 300.5: "ABCD",
	}
	for at, want := range unhealthy {
		r.clock.set(secondsOf(at))
		var got string
		for _, v := range r.m.Verdicts() {
			one, ok := r.m.Verdict(v.Key)
			o, _ := r.board.Get(v.Key)
			if pure := (Policy{}).Judge(o, Watch{}); !ok || one != v || pure != v {
				t.Errorf("at %v: %s: Verdicts %+v, Verdict %+v, Judge %+v", at, v.Key, v, one, pure)
			}
			if v.Status == check.Unhealthy {
				got += v.Key
			}
		}
		if got != want {
			t.Errorf("at %v: unhealthy %q, want %q", at, got, want)
		}
		body, err := json.Marshal(r.m.Check(t.Context()).Data)
		if err != nil {
			t.Fatal(err)
		}
		var data struct{ Processors []struct{ ID, Status string } }
		if err := json.Unmarshal(body, &data); err != nil {
			t.Fatal(err)
		}
		if shown := len(data.Processors); shown != len(cadences) {
			t.Errorf("at %v: %d processors in the JSON", at, shown)
		}
		for _, p := range data.Processors {
			if v, _ := r.m.Verdict(p.ID); v.Status.String() != p.Status {
				t.Errorf("at %v: JSON says %s is %s, the verdict %v", at, p.ID, p.Status, v.Status)
			}
		}
	}
	for _, bad := range []time.Duration{-1, -time.Hour, math.MaxInt64, math.MaxInt64/5 + 1, math.MinInt64} {
		if _, err := r.board.Register(board.Spec{ID: "bad", Interval: bad}); err == nil {
			t.Errorf("interval %v was accepted", bad)
		}
	}
}

// TestCase104LagFrozenAtTheLastReport: staleness outranks lag in both
// directions, and a lag is shown with its age.
func TestCase104LagFrozenAtTheLastReport(t *testing.T) {
	for _, test := range []struct {
		lag   int64
		alive Reason
	}{
		{0, Running},
		{3, Running},
		{10_000, Running},
		{20_000, Lagging},
		{1<<53 - 1, Lagging}, // the most there is
		{-7, Running},        // counts as zero
	} {
		r := newRig(t, WithPolicy(Policy{DegradedLag: 10_000}))
		p := r.register("P", second)
		p.BeatLag(test.lag)
		r.clock.set(4 * second)
		r.want("P", test.alive)
		r.clock.set(6 * second)
		v := r.want("P", Stale)
		if v.Status != check.Unhealthy || v.Lag != max(test.lag, 0) || v.LagAge != 6*second {
			t.Errorf("lag %d: verdict = %+v", test.lag, v)
		}
		p.Pause()
		r.clock.set(time.Hour)
		if v := r.want("P", Paused); v.LagAge != time.Hour {
			t.Errorf("lag %d: the paused lag looks %v old", test.lag, v.LagAge)
		}
	}
}

// TestCase107NothingRevivesAFault: a fault stands against every late report, and
// ends with an explicit new start.
func TestCase107NothingRevivesAFault(t *testing.T) {
	late := map[string]func(*board.Reporter){
		"Beat":    (*board.Reporter).Beat,
		"BeatLag": func(w *board.Reporter) { w.BeatLag(12) },
		"Done":    (*board.Reporter).Done,
		"Busy":    (*board.Reporter).Busy,
		"Idle":    (*board.Reporter).Idle,
		"Stop":    (*board.Reporter).Stop,
		"Standby": (*board.Reporter).Standby,
		"Resume":  (*board.Reporter).Resume,
		"Fault":   func(w *board.Reporter) { w.Fault(nil) },
		"Close":   (*board.Reporter).Close,
	}
	starts := map[string]func(*rig, *board.Reporter) *board.Reporter{
		"Restart":            func(_ *rig, p *board.Reporter) *board.Reporter { return p.Restart() },
		"Close and Register": func(r *rig, p *board.Reporter) *board.Reporter { p.Close(); return r.register("P", 250*ms) },
	}
	for name, report := range late {
		for start, begin := range starts {
			t.Run(name+", "+start, func(t *testing.T) {
				r := newRig(t)
				p := r.register("P", 250*ms)
				one, err1 := p.Worker("one")
				two, err2 := p.Worker("two")
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				two.BeatLag(12)
				r.clock.set(3 * second)
				one.Fault(nil)
				report(two)
				if name != "Close" { // which only a faulted processor's owner may
					report(p)
				}
				for _, at := range []float64{3.1, 10, 3600} {
					r.clock.set(secondsOf(at))
					if v := r.want("P", Faulted); v.Faults != 1 || v.Status != check.Unhealthy {
						t.Errorf("at %v: verdict = %+v", at, v)
					}
				}
				next := begin(r, p)
				r.want("P", Unreported)
				next.Beat()
				if v := r.want("P", Running); v.Faults != 1 {
					t.Errorf("after the new start: %d faults", v.Faults)
				}
				two.BeatLag(12)
				p.Fault(nil)
				if v := r.want("P", Running); v.LagKnown {
					t.Errorf("the old incarnation still writes: %+v", v)
				}
			})
		}
	}
}

// TestCase107StressConcurrentSafe: one fault among many beats is never lost.
func TestCase107StressConcurrentSafe(t *testing.T) {
	rounds := 100
	if soak {
		rounds = 10_000
	}
	for range rounds {
		r := newRig(t)
		p := r.register("P", 250*ms)
		var beating sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			beating.Go(func() {
				<-begin
				for range 50 {
					p.Beat()
				}
			})
		}
		beating.Go(func() { <-begin; p.Fault(nil) })
		close(begin)
		beating.Wait()
		if v := r.want("P", Faulted); v.Faults != 1 {
			t.Fatalf("verdict = %+v", v)
		}
	}
}

// TestCase108ACleanStopIsNotAWedge: whoever says that the loop ended here is
// never stale, and whoever hangs is, with the lease or without.
func TestCase108ACleanStopIsNotAWedge(t *testing.T) {
	ends := map[string]struct {
		end   func(*board.Reporter)
		again func(*board.Reporter) *board.Reporter
		want  Reason
	}{
		"Standby, Resume":  {(*board.Reporter).Standby, resumed, Standby},
		"Standby, Restart": {(*board.Reporter).Standby, (*board.Reporter).Restart, Standby},
		"Pause, Resume":    {(*board.Reporter).Pause, resumed, Paused},
		"Pause, Restart":   {(*board.Reporter).Pause, (*board.Reporter).Restart, Paused},
		"Stop, Restart":    {(*board.Reporter).Stop, (*board.Reporter).Restart, Stopped},
	}
	for name, c := range ends {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			orders := r.register("orders", 250*ms)
			r.beatUntil(30*second, 250*ms, orders.Beat)
			c.end(orders)
			for _, at := range []float64{36, 60, 3600} {
				r.clock.set(secondsOf(at))
				v := r.want("orders", c.want)
				if v.Status != check.Healthy || v.ages() || v.Bound != 0 {
					t.Errorf("at %v: verdict = %+v", at, v)
				}
			}
			orders = c.again(orders)
			r.clock.set(4000 * second)
			orders.Beat()
			r.want("orders", Running)
			r.clock.add(5*second + 1)
			r.want("orders", Stale)
		})
	}
	t.Run("hangs with the lease", func(t *testing.T) {
		r := newRig(t)
		orders := r.register("orders", 250*ms)
		r.beatUntil(30*second, 250*ms, orders.Beat)
		r.clock.set(36 * second)
		r.want("orders", Stale)
	})
	t.Run("hangs after the lease came back", func(t *testing.T) {
		r := newRig(t)
		orders := r.register("orders", 250*ms)
		orders.Standby()
		r.clock.set(time.Hour)
		orders.Resume()
		r.clock.add(5 * second)
		r.want("orders", Running)
		r.clock.add(1)
		r.want("orders", Stale)
	})
	t.Run("deregistered", func(t *testing.T) {
		r := newRig(t)
		orders := r.register("orders", 250*ms)
		orders.Beat()
		orders.Close()
		r.clock.set(time.Hour)
		if vs := r.m.Verdicts(); len(vs) != 0 {
			t.Errorf("verdicts = %+v", vs)
		}
		r.wantStatus(check.Healthy)
	})
}

func resumed(r *board.Reporter) *board.Reporter { r.Resume(); return r }

// TestCase114ZeroIsNotNever: a time of zero is a time, and an age, a lag or a
// place that was not reported is not there.
func TestCase114ZeroIsNotNever(t *testing.T) {
	r := newRig(t)
	p := r.register("P", 0)
	r.clock.set(10 * second)
	v := r.want("P", Unreported)
	if v.ages() || v.LagKnown || v.Faults != 0 || v.Busy != 0 {
		t.Errorf("before the first report: %+v", v)
	}
	r.clock.set(12 * second)
	p.Beat()
	r.clock.set(13 * second)
	if v := r.want("P", Running); v.Age != second || !v.ages() {
		t.Errorf("a second after the beat: %+v", v)
	}
	r.clock.set(20 * second)
	p.Fault(nil)
	r.clock.set(21 * second)
	if v := r.want("P", Faulted); v.Faults != 1 {
		t.Errorf("after the fault: %+v", v)
	}

	// A beat at time zero has been made (X26).
	r = newRig(t)
	r.register("P", 0).BeatLag(0)
	if v := r.want("P", Running); v.Age != 0 || !v.ages() || !v.LagKnown {
		t.Errorf("beat at zero: %+v", v)
	}
	r.clock.set(5*second + 1)
	r.want("P", Stale)
}
