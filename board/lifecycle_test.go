package board_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

var errBroken = errors.New("broken")

// enter brings a new processor into a state, one millisecond after another.
var enter = map[board.State]func(*board.Reporter){
	board.Unreported: func(*board.Reporter) {},
	board.Running:    (*board.Reporter).Beat,
	board.Idle:       (*board.Reporter).Idle,
	board.Busy:       (*board.Reporter).Busy,
	board.Standby:    (*board.Reporter).Standby,
	board.Paused:     (*board.Reporter).Pause,
	board.Stopped:    (*board.Reporter).Stop,
	board.Faulted:    func(r *board.Reporter) { r.Fault(errBroken) },
}

// states in the order of the columns below.
var states = []board.State{
	board.Unreported, board.Running, board.Idle, board.Busy,
	board.Standby, board.Paused, board.Stopped, board.Faulted,
}

// TestLifeCycle is the life-cycle table: a row a report, a column the state that
// it finds, a cell the state that it leads to and, behind it, "+" when it takes
// the report's time as its stamp and "b" when a beat is counted.
func TestLifeCycle(t *testing.T) {
	table := []struct {
		name   string
		report func(*board.Reporter)
		to     [8]string
	}{
		//                                                unreported    running      idle         busy       standby    paused     stopped    faulted
		{"Beat", (*board.Reporter).Beat, [8]string{"running+b", "running+b", "running+b", "busy+b", "standby", "paused", "stopped", "faulted"}},
		{"BeatLag", func(r *board.Reporter) { r.BeatLag(7) }, [8]string{"running+b", "running+b", "running+b", "busy+b", "standby", "paused", "stopped", "faulted"}},
		{"Done", (*board.Reporter).Done, [8]string{"running+b", "running+b", "running+b", "running+b", "standby", "paused", "stopped", "faulted"}},
		{"Idle", (*board.Reporter).Idle, [8]string{"idle+", "idle+", "idle", "idle+", "standby", "paused", "stopped", "faulted"}},
		{"Busy", (*board.Reporter).Busy, [8]string{"busy+", "busy+", "busy+", "busy+", "standby", "paused", "stopped", "faulted"}},
		{"BusyFor", func(r *board.Reporter) { r.BusyFor(time.Minute) }, [8]string{"busy+", "busy+", "busy+", "busy+", "standby", "paused", "stopped", "faulted"}},
		{"Standby", (*board.Reporter).Standby, [8]string{"standby+", "standby+", "standby+", "standby+", "standby", "paused", "stopped", "faulted"}},
		{"Pause", (*board.Reporter).Pause, [8]string{"paused+", "paused+", "paused+", "paused+", "standby", "paused", "stopped", "faulted"}},
		{"Resume", (*board.Reporter).Resume, [8]string{"unreported", "running", "idle", "busy", "running+", "running+", "stopped", "faulted"}},
		{"Stop", (*board.Reporter).Stop, [8]string{"stopped+", "stopped+", "stopped+", "stopped+", "stopped+", "stopped+", "stopped", "faulted"}},
		{"Fault", func(r *board.Reporter) { r.Fault(errBroken) }, [8]string{"faulted+", "faulted+", "faulted+", "faulted+", "faulted+", "faulted+", "faulted+", "faulted"}},
		{"SetLag", func(r *board.Reporter) { r.SetLag(7) }, [8]string{"unreported", "running", "idle", "busy", "standby", "paused", "stopped", "faulted"}},
		{"SetPosition", func(r *board.Reporter) { r.SetPosition(7) }, [8]string{"unreported", "running", "idle", "busy", "standby", "paused", "stopped", "faulted"}},
		{"Restart", func(r *board.Reporter) { r.Restart() }, [8]string{"unreported+", "unreported+", "unreported+", "unreported+", "unreported+", "unreported+", "unreported+", "unreported+"}},
	}
	for _, row := range table {
		for i, from := range states {
			t.Run(row.name+" in "+from.String(), func(t *testing.T) {
				b, clock := newBoard()
				r := register(t, b, "orders")
				clock.set(ms(1))
				enter[from](r)
				before := observe(t, b, "orders")
				clock.set(ms(2))
				row.report(r)
				after := observe(t, b, "orders")

				got := after.State.String()
				if after.Age == 0 {
					got += "+"
				}
				if after.Beats > before.Beats {
					got += "b"
				}
				if got != row.to[i] {
					t.Errorf("leads to %s, want %s", got, row.to[i])
				}
			})
		}
	}
}

// TestLagReportsByState: lag is taken with a beat where the beat is, and by
// SetLag everywhere; neither makes a silent processor one that has reported.
func TestLagReportsByState(t *testing.T) {
	ignoring := []board.State{board.Standby, board.Paused, board.Stopped, board.Faulted}
	for _, from := range states {
		b, clock := newBoard()
		r := register(t, b, "orders")
		enter[from](r)
		starts := observe(t, b, "orders").Starts
		clock.set(ms(5))
		r.SetLag(3)
		if o := observe(t, b, "orders"); !o.LagKnown || o.Lag != 3 || o.LagAge != 0 || o.Starts != starts {
			t.Errorf("SetLag in %v: lag %d (known %v), starts %d, want 3 and %d", from, o.Lag, o.LagKnown, o.Starts, starts)
		}
		clock.set(ms(9))
		r.BeatLag(4)
		o := observe(t, b, "orders")
		taken := !slices.Contains(ignoring, from)
		if want := map[bool]int64{true: 4, false: 3}[taken]; o.Lag != want {
			t.Errorf("BeatLag in %v: lag %d, want %d", from, o.Lag, want)
		}
		if want := map[bool]time.Duration{true: 0, false: ms(4)}[taken]; o.LagAge != want {
			t.Errorf("BeatLag in %v: lag age %v, want %v", from, o.LagAge, want)
		}
	}
}

// TestLateReportWipesNoFault is CASE-107: whatever arrives after a fault, the
// fault stays, with its first cause and its lag, until an explicit new start.
func TestCase107LateReportWipesNoFault(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "orders")
	clock.set(ms(2999))
	r.BeatLag(12)
	clock.set(ms(3000))
	r.Fault(errBroken)
	clock.set(ms(3001))
	for _, row := range enter {
		row(r)
	}
	r.BeatLag(1)
	r.Done()
	r.Resume()
	r.Fault(errors.New("second"))
	for _, at := range []int{3100, 10_000, 3_600_000} {
		clock.set(ms(at))
		o := observe(t, b, "orders")
		if o.State != board.Faulted || !errors.Is(o.Err, errBroken) || o.Faults != 1 || o.Lag != 12 || o.Age != ms(at-3000) {
			t.Fatalf("at %d ms: %+v", at, o)
		}
	}
	r = r.Restart()
	r.Beat()
	if o := observe(t, b, "orders"); o.State != board.Running || o.Err != nil || o.Faults != 1 || o.Starts != 2 {
		t.Fatalf("after Restart and Beat: %+v", o)
	}
}

// TestRestartFences: the old reporter writes into the void, whatever it says.
func TestRestartFences(t *testing.T) {
	b, clock := newBoard()
	old := register(t, b, "orders")
	old.BeatLag(9)
	old.SetPosition(9)
	clock.set(ms(10))
	current := old.Restart()
	if again := old.Restart(); again != old {
		t.Error("Restart of an ended Reporter began another incarnation")
	}
	for _, row := range enter {
		row(old)
	}
	old.BeatLag(1)
	old.SetLag(1)
	old.SetPosition(1)
	old.BusyFor(time.Second)
	old.Close()
	if w, err := old.Worker("late"); err != nil || w == nil {
		t.Errorf("Worker of an ended Reporter: %v, %v", w, err)
	} else {
		w.Fault(errBroken)
		w.Close()
	}
	clock.set(ms(15))
	want := board.Observation{Key: "orders", Interval: board.DefaultInterval, Starts: 1}
	want.Beats, want.Age = 1, ms(5)
	if o := observe(t, b, "orders"); o.State != want.State || o.Age != want.Age || o.LagKnown || o.PositionKnown ||
		o.Beats != want.Beats || o.Starts != want.Starts || o.Faults != 0 || o.Err != nil || len(o.Workers) > 0 {
		t.Fatalf("got %+v, want %+v", o, want)
	}
	current.Beat()
	if o := observe(t, b, "orders"); o.State != board.Running || o.Beats != 2 || o.Starts != 2 {
		t.Fatalf("the new incarnation: %+v", o)
	}
}

// TestCloseByState: Close takes a processor off the board, but never a fault.
func TestCloseByState(t *testing.T) {
	for _, from := range states {
		b, _ := newBoard()
		r := register(t, b, "orders")
		enter[from](r)
		r.Close()
		r.Close()
		r.Beat()
		_, there := b.Get("orders")
		if want := from == board.Faulted; there != want {
			t.Errorf("closed in %v: on the board %v, want %v", from, there, want)
		}
		if again, err := b.Register(board.Spec{ID: "orders"}); err != nil {
			t.Errorf("closed in %v: register again: %v", from, err)
		} else {
			r.Fault(errBroken)
			r.Close()
			again.Beat()
			if o := observe(t, b, "orders"); o.State != board.Running || o.Err != nil {
				t.Errorf("closed in %v: its successor is %+v", from, o)
			}
		}
	}
}

// TestClosedFaultEnds: what ends the entry of a faulted and closed processor.
func TestClosedFaultEnds(t *testing.T) {
	setup := func(t *testing.T) (*board.Board, *board.Reporter) {
		b, _ := newBoard()
		r := register(t, b, "orders")
		r.Beat()
		r.Fault(errBroken)
		r.Close()
		return b, r
	}
	t.Run("Restart", func(t *testing.T) {
		b, r := setup(t)
		r.Restart().Beat()
		if o := observe(t, b, "orders"); o.State != board.Running || o.Faults != 1 || o.Starts != 2 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("Register", func(t *testing.T) {
		b, _ := setup(t)
		register(t, b, "orders").Beat()
		if o := observe(t, b, "orders"); o.State != board.Running || o.Faults != 1 || o.Starts != 2 || o.Beats != 2 {
			t.Errorf("the counters of a fault that nobody may have scraped yet: %+v", o)
		}
	})
	t.Run("Remove", func(t *testing.T) {
		b, r := setup(t)
		if !b.Remove("orders") || b.Remove("orders") || b.Len() != 0 {
			t.Error("Remove does not tell what it did")
		}
		r.Restart().Beat()
		if _, ok := b.Get("orders"); ok {
			t.Error("a removed processor came back")
		}
	})
}

// TestClosedFaultIsMute: the entry stays as the fault left it, and its reporter
// writes into the void.
func TestClosedFaultIsMute(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "orders")
	w := worker(t, r, "1")
	r.BeatLag(3)
	r.SetPosition(5)
	r.Fault(errBroken)
	r.Close()
	want := observe(t, b, "orders")
	want.Workers = nil
	for _, report := range enter {
		report(r)
		report(w)
	}
	r.SetLag(99)
	r.SetPosition(7)
	r.Close()
	late, err := r.Worker("late")
	if err != nil {
		t.Fatal(err)
	}
	late.Beat()
	if diff := differ(want, observe(t, b, "orders")); diff != "" {
		t.Error(diff)
	}
	clock.move(ms(1))
	r.Restart().Beat()
	if o := observe(t, b, "orders"); o.State != board.Running || o.Faults != 1 || o.Starts != 2 {
		t.Errorf("after Restart: %+v", o)
	}
}

// TestRegisterAfterAFaultTakesTheNewSpec, while the counters go on.
func TestRegisterAfterAFaultTakesTheNewSpec(t *testing.T) {
	b, _ := newBoard()
	r := b.MustRegister(board.Spec{ID: "orders", Rebuild: "2"})
	r.Fault(errBroken)
	r.Close()
	details := board.Details{Owner: "team"}
	b.MustRegister(board.Spec{ID: "orders", Rebuild: "2", Interval: ms(9), Details: details}).Beat()
	o := observe(t, b, "orders::rebuild::2")
	if !o.Rebuild || o.Interval != ms(9) || o.Details == nil || *o.Details != details || o.Faults != 1 || o.Starts != 2 {
		t.Errorf("%+v", o)
	}
}

// TestFaultWithoutCause: Faulted always has a cause.
func TestFaultWithoutCause(t *testing.T) {
	b, _ := newBoard()
	register(t, b, "orders").Fault(nil)
	if o := observe(t, b, "orders"); o.State != board.Faulted || o.Err == nil {
		t.Fatalf("%+v", o)
	}
}
