package node

import (
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestTier: the status is the tier's, and nothing of another tier counts.
func TestTier(t *testing.T) {
	for _, status := range []check.Status{check.Healthy, check.Degraded, check.Unhealthy} {
		synctest.Test(t, func(t *testing.T) {
			set := tiers.New()
			must(t, set.AddReady("a", answers(status)))
			must(t, set.AddReady("b", answers(check.Healthy)))
			must(t, set.AddActive("c", answers(check.Unhealthy)))
			if got := Tier(set, tiers.Ready).Check(t.Context()).Status; got != status {
				t.Errorf("%v, want %v", got, status)
			}
			set.Drain()
			if got := Tier(set, tiers.Ready).Check(t.Context()).Status; got != check.Unhealthy {
				t.Errorf("while it drains: %v", got)
			}
			if got := Tier(set, tiers.Wedged).Check(t.Context()).Status; got != check.Healthy {
				t.Errorf("a tier without checks: %v", got)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTierAge: how old the document's fact is said to be.
func TestTierAge(t *testing.T) {
	long := check.Sampling{Reuse: 20 * time.Second}
	for name, tt := range map[string]struct {
		took     time.Duration
		sampling check.Sampling
		before   func(set *tiers.Set) // leaves the tier as it is found
		age      time.Duration
	}{
		"a first run":          {took: 0, age: 0},
		"a run started for us": {took: 100 * ms, age: 100 * ms},
		"a result in use": {100 * ms, long, func(set *tiers.Set) {
			set.Evaluate(context.Background(), tiers.Ready)
			time.Sleep(3 * time.Second)
		}, 3100 * ms},
		"a result just in use": {100 * ms, check.Sampling{}, func(set *tiers.Set) {
			set.Evaluate(context.Background(), tiers.Ready)
			time.Sleep(400 * ms)
		}, 500 * ms},
		"a result no more in use": {100 * ms, check.Sampling{}, func(set *tiers.Set) {
			set.Evaluate(context.Background(), tiers.Ready)
			time.Sleep(400*ms + 1)
		}, 100 * ms},
		"no reuse": {100 * ms, check.Sampling{NoReuse: true}, func(set *tiers.Set) {
			set.Evaluate(context.Background(), tiers.Ready)
		}, 100 * ms},
		"a run in flight": {600 * ms, check.Sampling{}, func(set *tiers.Set) {
			go set.Evaluate(context.Background(), tiers.Ready)
			time.Sleep(500 * ms)
		}, 600 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				set := tiers.New()
				must(t, set.AddReady("a", slow(tt.took, check.Healthy), tiers.WithSampling(tt.sampling)))
				if tt.before != nil {
					tt.before(set)
				}
				s := Tier(set, tiers.Ready).(sampler).Sample(t.Context())
				if s.Result.Status != check.Healthy || s.Age != tt.age {
					t.Errorf("%v at the age of %v, want %v", s.Result.Status, s.Age, tt.age)
				}
			})
		})
	}
}

// TestTierOfARunner wants what a Runner on the tier has kept to be as old as it is
// there, however often the tier is asked.
func TestTierOfARunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, err := check.NewRunner("kept", slow(0, check.Healthy), check.Sampling{Reuse: 6 * time.Second})
		must(t, err)
		set := tiers.New()
		must(t, set.AddReady("kept", kept))
		for second := range 6 {
			s := Tier(set, tiers.Ready).(sampler).Sample(t.Context())
			if want := time.Duration(second) * time.Second; s.Age != want {
				t.Errorf("after %v: %v old", want, s.Age)
			}
			time.Sleep(time.Second)
		}
	})
}

// TestTierAgeIsTheRuns puts a check among random probers, schedules and reuse times.
// The runs answer Healthy and Degraded by turns, which tells which of two runs a report
// shows; the tier must claim its age to the nanosecond.
func TestTierAgeIsTheRuns(t *testing.T) {
	rounds := 300
	if os.Getenv("LOOPVITALS_SOAK") != "" {
		rounds = 30_000
	}
	reused, fresh, joined := 0, 0, 0
	for seed := range rounds {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 7))
			upTo := func(most time.Duration) time.Duration { return time.Duration(random.Int64N(int64(most))) }
			var (
				mu    sync.Mutex
				begun []time.Time
			)
			took := []time.Duration{0, upTo(50 * ms), upTo(700 * ms)}[random.IntN(3)]
			jitter := upTo(20 * ms)
			c := check.Func(func(context.Context) check.Result {
				mu.Lock()
				number := len(begun)
				begun = append(begun, time.Now())
				mu.Unlock()
				time.Sleep(took + time.Duration(number%7)*jitter/7)
				return check.Result{Status: []check.Status{check.Healthy, check.Degraded}[number%2]}
			})
			sampling := check.Sampling{Reuse: upTo(4 * time.Second)}
			switch random.IntN(4) {
			case 0:
				sampling = check.Sampling{}
			case 1:
				sampling = check.Sampling{NoReuse: true}
			case 2:
				sampling.Every, sampling.MaxAge = time.Second+upTo(2*time.Second), 10*time.Second
			}
			set := tiers.New()
			must(t, set.AddReady("a", c, tiers.WithSampling(sampling)))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			var others sync.WaitGroup
			if sampling.Every > 0 {
				others.Go(func() { _ = set.Run(ctx) })
			}
			for range random.IntN(3) {
				every := 20*ms + upTo(900*ms)
				others.Go(func() {
					for ctx.Err() == nil {
						set.Evaluate(ctx, tiers.Ready)
						time.Sleep(every)
					}
				})
			}
			observed := Tier(set, tiers.Ready).(sampler)
			for ctx.Err() == nil {
				asked := time.Now()
				s := observed.Sample(t.Context())
				now := time.Now()
				if s.Result.Status == check.Unhealthy {
					t.Errorf("seed %d: %+v", seed, s)
				}
				// The newest run of this status that can have answered is the one shown.
				mu.Lock()
				shown := time.Time{}
				for i, b := range begun {
					length := took + time.Duration(i%7)*jitter/7
					if i%2 == int(statusIndex(s.Result.Status)) && !b.Add(length).After(now) && !b.After(now) {
						shown = b
					}
				}
				mu.Unlock()
				real := now.Sub(shown)
				switch {
				case s.Age != real:
					t.Errorf("seed %d: %v claimed for a result of %v", seed, s.Age, real)
				case shown.Before(asked) && real > took+jitter+now.Sub(asked):
					reused++
				case shown.Before(asked):
					joined++
				default:
					fresh++
				}
				time.Sleep(upTo(1200 * ms))
			}
			others.Wait()
			time.Sleep(time.Minute) // runs that a prober left behind
		})
	}
	t.Logf("%d reused, %d joined, %d fresh", reused, joined, fresh)
	if reused < rounds || joined < rounds/10 || fresh < rounds {
		t.Errorf("the schedules are too tame: %d reused, %d joined, %d fresh", reused, joined, fresh)
	}
}

func statusIndex(s check.Status) int {
	if s == check.Degraded {
		return 1
	}
	return 0
}
