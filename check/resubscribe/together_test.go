package resubscribe

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTogether: 500 guards of one gateway that fail, or are not answered, at the same
// instant do not come back together, in the first round nor later (S3.4).
func TestTogether(t *testing.T) {
	const (
		guards = 500
		rounds = 4
		window = 100 * time.Millisecond
		// In a window there are at most about 50 to be expected, since they are
		// spread over a second at least. Chance does not make it twice as many in
		// any window (p < 1e-9), and without jitter it is all of them.
		most = 110
	)
	for name, answer := range map[string]error{"failed": errRefused, "lost": ErrPending} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := make([]*trace, guards)
				for i := range sent {
					g, r := newGuard(t, Config{Jitter: 0.2}), newTrace()
					stop := run(t, g, func(_ context.Context, a Attempt) error {
						r.note(a)
						return answer
					})
					defer stop()
					sent[i] = r
				}
				time.Sleep(5 * time.Minute)
				for round := range rounds {
					at := make([]time.Duration, guards)
					for i, r := range sent {
						at[i] = r.times()[round]
					}
					slices.Sort(at)
					got, first, last := crowd(at, window), at[0], at[guards-1]
					t.Logf("request %d: from %v to %v, at most %d of %d in %v", round+1, first, last, got, guards, window)
					switch {
					case round == 0 && got != guards:
						t.Errorf("%d began together, want all", got)
					case round > 0 && got > most:
						t.Errorf("request %d: %d in %v, want %d at most", round+1, got, window, most)
					}
				}
			})
		})
	}
}

// crowd is the most of the sorted times that are within one window.
func crowd(sorted []time.Duration, window time.Duration) int {
	most, from := 0, 0
	for i, at := range sorted {
		for at-sorted[from] >= window {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}
