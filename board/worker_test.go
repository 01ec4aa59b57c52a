package board_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/board"
)

func worker(t *testing.T, r *board.Reporter, name string) *board.Reporter {
	t.Helper()
	w, err := r.Worker(name)
	if err != nil {
		t.Fatalf("worker %q: %v", name, err)
	}
	return w
}

// workerStates is what a reader sees of a pool.
func workerStates(o board.Observation) map[string]string {
	m := map[string]string{}
	for _, w := range o.Workers {
		m[w.Name] = w.State.String()
	}
	return m
}

func TestWorkersHaveLinesOfTheirOwn(t *testing.T) {
	b, clock := newBoard()
	r := register(t, b, "billing")
	first, second := worker(t, r, "1"), worker(t, r, "2")
	first.Busy()
	second.BeatLag(4)
	clock.set(ms(30))
	second.Idle()

	o := observe(t, b, "billing")
	if o.State != board.Unreported || o.Starts != 1 || o.Beats != 1 {
		t.Errorf("the processor's own line: %+v", o)
	}
	if diff := cmp.Diff(map[string]string{"1": "busy", "2": "idle"}, workerStates(o)); diff != "" {
		t.Error(diff)
	}
	if w := o.Workers[0]; w.Age != ms(30) {
		t.Errorf("worker 1 is busy for %v, want 30ms", w.Age)
	}
	if w := o.Workers[1]; w.Lag != 4 || !w.LagKnown || w.LagAge != ms(30) || w.Age != 0 {
		t.Errorf("worker 2: %+v", w)
	}
}

// TestWorkerFaultFaultsTheProcessor, and says who it was; the others' late
// reports change nothing (CASE-107).
func TestWorkerFaultFaultsTheProcessor(t *testing.T) {
	b, _ := newBoard()
	r := register(t, b, "billing")
	first, second := worker(t, r, "1"), worker(t, r, "2")
	r.Beat()
	first.Fault(errBroken)
	second.Beat()
	second.Fault(errors.New("second"))
	r.Beat()
	o := observe(t, b, "billing")
	if o.State != board.Faulted || !errors.Is(o.Err, errBroken) || o.FaultedBy != "1" || o.Faults != 1 {
		t.Fatalf("%+v", o)
	}
	r = r.Restart()
	first.Beat()
	if o := observe(t, b, "billing"); o.State != board.Unreported || o.FaultedBy != "" || len(o.Workers) != 0 || o.Faults != 1 {
		t.Fatalf("after Restart: %+v", o)
	}
	worker(t, r, "1").Beat()
	if o := observe(t, b, "billing"); o.Starts != 2 || o.Workers[0].State != board.Running {
		t.Fatalf("the next incarnation's worker: %+v", o)
	}
}

// TestDismissedWorkersKeepTheCounters: they only grow.
func TestDismissedWorkersKeepTheCounters(t *testing.T) {
	b, _ := newBoard()
	r := register(t, b, "billing")
	for range 3 {
		w := worker(t, r, "1")
		w.Beat()
		w.Beat()
		w.Close()
		w.Close()
		w.Beat()
		w.Fault(errBroken)
	}
	o := observe(t, b, "billing")
	if o.Beats != 6 || o.Starts != 1 || o.Faults != 0 || len(o.Workers) != 0 || o.State != board.Unreported {
		t.Fatalf("%+v", o)
	}
	r.Restart()
	if o := observe(t, b, "billing"); o.Beats != 6 || o.Starts != 1 {
		t.Fatalf("after Restart: %+v", o)
	}
}

func TestWorkerRestart(t *testing.T) {
	b, _ := newBoard()
	r := register(t, b, "billing")
	w := worker(t, r, "1")
	w.Stop()
	next := w.Restart()
	w.Beat()
	if o := observe(t, b, "billing"); workerStates(o)["1"] != "unreported" || len(o.Workers) != 1 {
		t.Fatalf("restarted: %v", workerStates(o))
	}
	next.Beat()
	if o := observe(t, b, "billing"); workerStates(o)["1"] != "running" {
		t.Fatalf("restarted and beaten: %v", workerStates(o))
	}
	if w.Restart() != w {
		t.Error("Restart of an ended worker began another line")
	}
}

func TestWorkerRefused(t *testing.T) {
	b, _ := newBoard()
	r := register(t, b, "billing")
	w := worker(t, r, "1")
	for name, row := range map[string]struct {
		of   *board.Reporter
		name string
		want error
	}{
		"duplicate":          {r, "1", board.ErrDuplicate},
		"empty":              {r, "", board.ErrInvalidID},
		"control character":  {r, "a\nb", board.ErrInvalidID},
		"invalid UTF-8":      {r, "a\xff", board.ErrInvalidID},
		"worker of a worker": {w, "2", nil},
	} {
		got, err := row.of.Worker(row.name)
		if err == nil || got != nil || row.want != nil && !errors.Is(err, row.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, row.want)
		}
	}
	if n := b.Events().RefusedRegistrations; n != 5 {
		t.Errorf("%d refusals counted, want 5", n)
	}
	w.Beat()
	if o := observe(t, b, "billing"); workerStates(o)["1"] != "running" {
		t.Error("the worker that was there is harmed")
	}
}
