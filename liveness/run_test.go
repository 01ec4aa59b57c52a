package liveness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/board"
)

// TestRunTable: how a loop ends, and what the board then shows.
func TestRunTable(t *testing.T) {
	broken := errors.New("broken")
	deploy := errors.New("deploy")
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	tests := []struct {
		name string
		ctx  context.Context //nolint:containedctx // a table of contexts
		err  error
		want board.State
	}{
		{"done, by itself", t.Context(), nil, board.Stopped},
		{"done, asked to", ended(nil), nil, board.Stopped},
		{"the context's error", ended(nil), context.Canceled, board.Stopped},
		{"the context's error, wrapped", ended(nil), fmt.Errorf("poll: %w", context.Canceled), board.Stopped},
		{"the cause", ended(deploy), deploy, board.Stopped},
		{"the cause, wrapped", ended(deploy), fmt.Errorf("poll: %w", deploy), board.Stopped},
		{"the context's error, with a cause", ended(deploy), context.Canceled, board.Stopped},
		{"the deadline", expired, context.DeadlineExceeded, board.Stopped},
		{"an error", t.Context(), broken, board.Faulted},
		{"an error after the end", ended(nil), broken, board.Faulted},
		{"the end, joined with an error", ended(nil), errors.Join(context.Canceled, broken), board.Faulted},
		{"the end, and an error after it", ended(nil), fmt.Errorf("%w: %w", context.Canceled, broken), board.Faulted},
		{"a call's own deadline", ended(nil), context.DeadlineExceeded, board.Faulted},
		{"cancelled by somebody else", t.Context(), context.Canceled, board.Faulted},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			orders := r.register("orders", 0)
			if err := Run(test.ctx, orders, func(context.Context) error { return test.err }); err != test.err {
				t.Errorf("Run returned %v, want %v as it is", err, test.err)
			}
			o, _ := r.board.Get("orders")
			if o.State != test.want || (o.State == board.Faulted) != (o.Err != nil) || o.Err != nil && o.Err != test.err {
				t.Errorf("state %v, cause %v, want %v", o.State, o.Err, test.want)
			}
			if err := Run(test.ctx, nil, func(context.Context) error { return test.err }); err != test.err {
				t.Errorf("without a reporter Run returned %v", err)
			}
		})
	}
}

// TestRunPanics: the panic becomes the fault, with its value and its place.
func TestRunPanics(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		loop func(context.Context) error
		is   error
		text string
	}{
		{"a string", func(context.Context) error { panic("boom") }, nil, "liveness: the loop panicked: boom"},
		{"an error", func(context.Context) error { panic(broken) }, broken, "liveness: the loop panicked: broken"},
		{"nil", func(context.Context) error { panic(nil) }, nil, "panic called with nil"}, //nolint:govet // the value is the point
		{"a runtime error", func(context.Context) error { var v *Verdict; v.Age++; return nil }, nil, "nil pointer"},
		{"no loop", nil, nil, "nil pointer"},
		{"an error whose Is panics", func(context.Context) error { return badError{} }, nil, "bad error"},
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			err := Run(ctx, r.register("orders", 0), test.loop)
			var panicked *PanicError
			if !errors.As(err, &panicked) || !strings.Contains(err.Error(), test.text) {
				t.Fatalf("Run returned %v", err)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			if test.loop != nil && test.name != "an error whose Is panics" && !strings.Contains(string(panicked.Stack), "TestRunPanics.func") {
				t.Errorf("the stack does not show the loop:\n%s", panicked.Stack)
			}
			if o, _ := r.board.Get("orders"); o.State != board.Faulted || o.Err != err {
				t.Errorf("state %v, cause %v", o.State, o.Err)
			}
			if err := Run(ctx, nil, test.loop); !errors.As(err, &panicked) {
				t.Errorf("without a reporter Run returned %v", err)
			}
		})
	}
}

type badError struct{}

func (badError) Error() string { return "bad" }
func (badError) Is(error) bool { panic("bad error") }

// TestRunGoexit: a loop that ends its goroutine has faulted; the goroutine ends.
func TestRunGoexit(t *testing.T) {
	r := newRig(t)
	orders := r.register("orders", 0)
	ended := make(chan bool)
	returned := false
	go func() {
		defer close(ended)
		_ = Run(t.Context(), orders, func(context.Context) error { runtime.Goexit(); return nil })
		returned = true
	}()
	<-ended
	if returned {
		t.Error("Run returned from Goexit")
	}
	if o, _ := r.board.Get("orders"); o.State != board.Faulted || o.Err == nil || !strings.Contains(o.Err.Error(), "Goexit") {
		t.Errorf("state %v, cause %v", o.State, o.Err)
	}
}

// TestRunKeepsTheFirstCause: what the loop itself called a fault is not
// overwritten by its end.
func TestRunKeepsTheFirstCause(t *testing.T) {
	r := newRig(t)
	orders := r.register("orders", 0)
	first := errors.New("first")
	err := Run(t.Context(), orders, func(context.Context) error { orders.Fault(first); return nil })
	if o, _ := r.board.Get("orders"); err != nil || o.State != board.Faulted || o.Err != first {
		t.Errorf("Run returned %v, cause %v", err, o.Err)
	}
}

// TestRunLabels: the loop's goroutine, and what it starts, can be found by the
// processor's key.
func TestRunLabels(t *testing.T) {
	r := newRig(t)
	rebuild := r.board.MustRegister(board.Spec{ID: "orders", Rebuild: "2"})
	label := func(ctx context.Context) string { l, _ := pprof.Label(ctx, "processor"); return l }
	var inside string
	if err := Run(t.Context(), rebuild, func(ctx context.Context) error { inside = label(ctx); return nil }); err != nil {
		t.Error(err)
	}
	if inside != "orders::rebuild::2" {
		t.Errorf("label = %q", inside)
	}
	_ = Run(t.Context(), nil, func(ctx context.Context) error { inside = label(ctx); return nil })
	if inside != "" {
		t.Errorf("without a reporter: label = %q", inside)
	}
	var dump strings.Builder
	hung, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), r.register("hung", 0), func(context.Context) error { close(hung); <-release; return nil })
	}()
	<-hung
	if err := pprof.Lookup("goroutine").WriteTo(&dump, 1); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if !strings.Contains(dump.String(), `"processor":"hung"`) {
		t.Error("the goroutine profile does not show the label")
	}
}

// TestRunClosesNothing: the processor can be restarted after its loop has ended.
func TestRunClosesNothing(t *testing.T) {
	r := newRig(t)
	orders := r.register("orders", 0)
	for want := range uint64(3) {
		_ = Run(t.Context(), orders, func(context.Context) error { orders.Beat(); panic("again") })
		if v := r.want("orders", Faulted); v.Faults != want+1 {
			t.Errorf("%d faults, want %d", v.Faults, want+1)
		}
		orders = orders.Restart()
		r.clock.add(time.Second)
	}
	r.want("orders", Unreported)
}
