package check_test

import (
	"bytes"
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

const ms = time.Millisecond

func newRunner(t testing.TB, c check.Checker, s check.Sampling, opts ...check.Option) *check.Runner {
	t.Helper()
	r, err := check.NewRunner("db", c, s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkAll returns what CheckAll tells, in the order of runners.
func checkAll(ctx context.Context, runners ...*check.Runner) []check.Sample {
	all := make([]check.Sample, len(runners))
	check.CheckAll(ctx, runners, func(i int, s *check.Sample) { all[i] = *s })
	return all
}

// dependency is a check whose answer, delay and hang a test sets. It ignores
// its context, as the worst driver does.
type dependency struct {
	calls  atomic.Int64
	status atomic.Uint32
	delay  atomic.Int64
	hold   atomic.Pointer[chan struct{}]
}

func newDependency() *dependency {
	d := &dependency{}
	d.set(check.Healthy)
	return d
}

func (d *dependency) set(s check.Status)       { d.status.Store(uint32(s)) }
func (d *dependency) slow(delay time.Duration) { d.delay.Store(int64(delay)) }

// hang makes the calls from now on block until the returned function is called.
func (d *dependency) hang() (release func()) {
	hold := make(chan struct{})
	d.hold.Store(&hold)
	return func() {
		d.hold.CompareAndSwap(&hold, nil)
		close(hold)
	}
}

func (d *dependency) Check(context.Context) check.Result {
	d.calls.Add(1)
	status := check.Status(d.status.Load())
	if hold := d.hold.Load(); hold != nil {
		<-*hold
	}
	if delay := d.delay.Load(); delay > 0 {
		time.Sleep(time.Duration(delay))
	}
	return check.Result{Status: status, Description: "asked"}
}

// instant is the same as a check that says it only reads memory.
type instant struct{ check.Checker }

func (instant) Instant() {}

// wantSample compares what most tests are about.
func wantSample(t *testing.T, got check.Sample, status check.Status, outcome check.Outcome) {
	t.Helper()
	if got.Result.Status != status || got.Outcome != outcome {
		t.Errorf("got %v %v %q, want %v %v", got.Result.Status, got.Outcome, got.Result.Description, status, outcome)
	}
	if outcome == check.Timeout || outcome == check.Panic {
		if got.Result.Description != outcome.String() {
			t.Errorf("description %q, want the class %q", got.Result.Description, outcome)
		}
	}
}

func wantCalls(t *testing.T, d *dependency, want int64) {
	t.Helper()
	if got := d.calls.Load(); got != want {
		t.Errorf("%d calls of the dependency, want %d", got, want)
	}
}

// ask takes a sample in the background, for a caller that has to wait.
func ask(ctx context.Context, r *check.Runner) <-chan check.Sample {
	answer := make(chan check.Sample, 1)
	go func() { answer <- r.Sample(ctx) }()
	return answer
}

// wantGoroutines counts the goroutines that the package started and that have
// not ended. One that is just ending is seen for a moment more, so it looks
// again; one that leaks stays.
func wantGoroutines(t *testing.T, want int) {
	t.Helper()
	synctest.Wait()
	var got int
	stacks := make([]byte, 1<<20)
	for range 100 {
		n := runtime.Stack(stacks, true)
		for ; n == len(stacks); n = runtime.Stack(stacks, true) {
			stacks = make([]byte, 2*len(stacks))
		}
		got = bytes.Count(stacks[:n], []byte("created by github.com/loopvitals/loopvitals/check.("))
		if got == want {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines of the package, want %d", got, want)
}
