package redundancy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestCallerWaitsItsTurn: a call behind one that has not returned waits for it within
// its own limit, and has what is left of that.
func TestCallerWaitsItsTurn(t *testing.T) {
	for _, test := range []struct {
		first, want time.Duration // after which the first returns, and the second has ended
		err         error
	}{
		{1500 * time.Millisecond, 1500 * time.Millisecond, nil},
		{2*time.Second - 1, 2*time.Second - 1, nil},
		{time.Hour, 2 * time.Second, errTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCaller(2 * time.Second)
			go func() {
				_ = c.do(t.Context(), func(context.Context) error { time.Sleep(test.first); return nil })
			}()
			synctest.Wait()
			began := time.Now()
			err := c.do(t.Context(), func(context.Context) error { return nil })
			if took := time.Since(began); !errors.Is(err, test.err) || took != test.want {
				t.Errorf("behind one of %v: %v after %v, want %v after %v", test.first, err, took, test.err, test.want)
			}
			time.Sleep(time.Hour)
		})
	}
}

// TestCallerSaysGoodbye: a call that heeds the end of its context is waited for, one
// that does not is left after half a second.
func TestCallerSaysGoodbye(t *testing.T) {
	for _, test := range []struct{ lingers, want time.Duration }{
		{0, 0},
		{400 * time.Millisecond, 400 * time.Millisecond},
		{time.Hour, goodbye},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Minute, cancel)
			began := time.Now()
			_ = newCaller(0).do(ctx, func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(test.lingers)
				return ctx.Err()
			})
			if took := time.Since(began) - time.Minute; took != test.want {
				t.Errorf("one that lingers %v: %v, want %v", test.lingers, took, test.want)
			}
			time.Sleep(time.Hour)
		})
	}
}
