package livenesstest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// failure is a TestingT that keeps what it was failed with, and goes on.
type failure struct{ text string }

func (f *failure) Helper() {}
func (f *failure) Fatalf(format string, args ...any) {
	if f.text == "" {
		f.text = fmt.Sprintf(format, args...)
	}
}

// TestWedgeALoop is what the package is for, from end to end.
func TestWedgeALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		orders := b.MustRegister(board.Spec{ID: "orders"})
		m, err := liveness.NewMonitor(b)
		if err != nil {
			t.Fatal(err)
		}
		var wedge Wedge
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_ = liveness.Run(ctx, orders, func(ctx context.Context) error {
				for ctx.Err() == nil {
					wedge.Pass()
					orders.Beat()
					time.Sleep(250 * time.Millisecond)
				}
				return ctx.Err()
			})
		}()
		AwaitVerdict(t, m, "orders", liveness.Running, time.Second)
		wedge.Drive()
		if v := AwaitVerdict(t, m, "orders", liveness.Stale, 6*time.Second); v.Age <= 5*time.Second {
			t.Errorf("stale after %v", v.Age)
		}
		if wedge.Held() != 1 {
			t.Errorf("%d held", wedge.Held())
		}
		wedge.Release()
		AwaitVerdict(t, m, "orders", liveness.Running, time.Second)
		cancel()
		AwaitVerdict(t, m, "orders", liveness.Stopped, time.Second)
	})
}

// TestWedge: driven and released in every order, by many.
func TestWedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Wedge
		want := func(held int) {
			t.Helper()
			synctest.Wait()
			if got := w.Held(); got != held {
				t.Errorf("%d held, want %d", got, held)
			}
		}
		w.Release()
		w.Pass()
		w.Drive()
		w.Drive()
		for range 5 {
			go w.Pass()
		}
		want(5)
		w.Release()
		want(0)
		w.Drive()
		go w.Pass()
		want(1)
		w.Release()
		w.Drive() // before the held one has looked: it may pass, or be held again
		w.Release()
		want(0)
		w.Pass()
	})
}

// TestRequireVerdict: what is passed, and what the failures say.
func TestRequireVerdict(t *testing.T) {
	b := board.New()
	b.MustRegister(board.Spec{ID: "orders"}).Fault(nil)
	m, err := liveness.NewMonitor(b)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		key  string
		want liveness.Reason
		text string
	}{
		{"orders", liveness.Faulted, ""},
		{"orders", liveness.Running, "livenesstest: verdict is faulted, want running: Processor 'orders' faulted and stopped"},
		{"nobody", liveness.Unreported, `livenesstest: processor "nobody" is not on the board`},
	}
	for _, test := range tests {
		var f failure
		if v := RequireVerdict(&f, m, test.key, test.want); v.Key != test.key || f.text != test.text {
			t.Errorf("%s %v: failed with %q, want %q", test.key, test.want, f.text, test.text)
		}
	}
}

// TestAwaitVerdict: it waits no longer than it must, nor than it may.
func TestAwaitVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.New()
		orders := b.MustRegister(board.Spec{ID: "orders"})
		m, err := liveness.NewMonitor(b)
		if err != nil {
			t.Fatal(err)
		}
		await := func(key string, want liveness.Reason) (took time.Duration, text string) {
			var f failure
			began := time.Now()
			AwaitVerdict(&f, m, key, want, time.Second)
			return time.Since(began), f.text
		}
		if took, text := await("orders", liveness.Unreported); took != 0 || text != "" {
			t.Errorf("took %v, failed with %q", took, text)
		}
		if took, text := await("orders", liveness.Stale); took != time.Second || !strings.Contains(text, "still unreported after 1s, want stale") {
			t.Errorf("took %v, failed with %q", took, text)
		}
		if took, text := await("nobody", liveness.Stale); took != time.Second || !strings.Contains(text, "not on the board after 1s") {
			t.Errorf("took %v, failed with %q", took, text)
		}
		time.AfterFunc(time.Second-1, orders.Beat) // just in time
		if took, text := await("orders", liveness.Running); took != time.Second || text != "" {
			t.Errorf("took %v, failed with %q", took, text)
		}
	})
}
