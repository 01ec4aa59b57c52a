package resubscribe

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestCase118 is the reply that never comes, whichever way the guard is used. The one
// who sends is gone after a second, and nobody answers: one send below 45 s, the second
// between 45 and 46, the third between 90 and 92, and three by 110.
func TestCase118(t *testing.T) {
	ways := map[string]func(t *testing.T, g *Guard, r *trace){
		"Begin in a loop, requests sent by goroutines that end": func(t *testing.T, g *Guard, r *trace) {
			ctx, cancel := context.WithTimeout(t.Context(), 110*time.Second)
			defer cancel()
			bySchedule(ctx, g, func(a Attempt) {
				go func() {
					r.note(a)
					time.Sleep(time.Second)
					runtime.Goexit()
				}()
			})
		},
		"Run, and the answer comes another way": func(t *testing.T, g *Guard, r *trace) {
			stop := run(t, g, func(_ context.Context, a Attempt) error {
				r.note(a)
				return ErrPending
			})
			time.Sleep(110 * time.Second)
			stop()
		},
		"Run, and the call waits for its context": func(t *testing.T, g *Guard, r *trace) {
			stop := run(t, g, func(ctx context.Context, a Attempt) error {
				r.note(a)
				<-ctx.Done()
				return ctx.Err()
			})
			time.Sleep(110 * time.Second)
			stop()
		},
		"Run, and each is cancelled after a second and begun anew": func(t *testing.T, g *Guard, r *trace) {
			for range 110 {
				stop := run(t, g, func(ctx context.Context, a Attempt) error {
					r.note(a)
					<-ctx.Done()
					return ctx.Err()
				})
				time.Sleep(time.Second)
				stop()
			}
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, r := newGuard(t, Config{}), newTrace()
				way(t, g, r)
				r.wantTimes(t, 0, 45, 90)
				if s := g.State(); s.Sends != 3 || s.PresumedLost != 2 {
					t.Errorf("state %+v, want 3 sends and 2 presumed lost", s)
				}
			})
		})
	}
}

// TestCase118OverHours goes on until the back-off is long at its cap: it must not
// oversleep the ceiling (X22), and there is one request per ceiling for ever (S3.3).
func TestCase118OverHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, r := newGuard(t, Config{}), newTrace()
		stop := run(t, g, func(_ context.Context, a Attempt) error {
			r.note(a)
			return ErrPending
		})
		time.Sleep(2*time.Hour - 1)
		stop()
		at := r.times()
		if want := 2 * 3600 / 45; len(at) != want {
			t.Errorf("%d sends in 2 h, want %d", len(at), want)
		}
		for i, when := range at {
			if when != time.Duration(i)*45*time.Second {
				t.Fatalf("send %d at %v, want one for each ceiling", i, when)
			}
		}
	})
}

// TestCase119 is the back-off that must not overflow: 200 failures in a row, through
// the guard.
func TestCase119(t *testing.T) {
	for name, c := range map[string]Config{"without jitter": {}, "with jitter": {Jitter: 0.2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, r := newGuard(t, c), newTrace()
				stop := run(t, g, func(_ context.Context, a Attempt) error {
					r.note(a)
					return errRefused
				})
				time.Sleep(200 * time.Minute)
				stop()
				at := r.times()
				if len(at) < 200 {
					t.Fatalf("%d attempts in 200 min, want 200 at least", len(at))
				}
				for i := 1; i < len(at); i++ {
					wait := at[i] - at[i-1]
					exact := Backoff{NoJitter: true}.Next(i, 0)
					if c.Jitter == 0 && wait != exact {
						t.Errorf("wait after %d failures: %v, want %v", i, wait, exact)
					}
					if wait < 5*time.Second || wait > time.Minute {
						t.Errorf("wait after %d failures: %v, want 5 s to 60 s", i, wait)
					}
				}
			})
		})
	}
}

// TestRig is what was measured on a rig whose source was down: about 3 requests in about
// 110 s where a retry every 5 s makes 22, and delays of 5 s, about 10 and about 20
// (S3.13). The source comes back, and the next request brings all data within 95 s.
func TestRig(t *testing.T) {
	for name, c := range map[string]Config{"without jitter": {}, "with jitter": {Jitter: 0.2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, r := newGuard(t, c), newTrace()
				back := r.start.Add(110 * time.Second)
				var backoffs []time.Duration
				stop := run(t, g, func(ctx context.Context, a Attempt) error {
					r.note(a)
					backoffs = append(backoffs, g.State().Backoff)
					if time.Now().Before(back) {
						<-ctx.Done()
						return ctx.Err()
					}
					time.Sleep(4 * time.Second)
					return nil
				})
				time.Sleep(110 * time.Second)
				synctest.Wait()
				if got, old := len(r.times()), 110/5; got != 3 {
					t.Errorf("%d requests in 110 s, want 3 where there were %d", got, old)
				}
				for i, want := range []time.Duration{5, 10, 20} {
					low, high := want*time.Second*4/5, want*time.Second*6/5
					if backoffs[i] < low || backoffs[i] > high || c.Jitter == 0 && backoffs[i] != want*time.Second {
						t.Errorf("delay of request %d: %v, want about %d s", i+1, backoffs[i], want)
					}
				}
				for g.State().InFlight || g.State().NextKnown {
					time.Sleep(time.Second)
				}
				if took := time.Since(back); took > 95*time.Second {
					t.Errorf("subscribed %v after the source was back, want 95 s at most", took)
				}
				stop()
				t.Logf("requests at %v, delays %v, subscribed at %v", r.times(), backoffs, time.Since(r.start))
			})
		})
	}
}

// TestSteadyState has one request for each connection, and a log that says so in two
// lines (S3.14).
func TestSteadyState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		g, r := newGuard(t, Config{}, WithLogger(log.logger())), newTrace()
		stop := run(t, g, func(_ context.Context, a Attempt) error {
			r.note(a)
			time.Sleep(time.Second)
			return nil
		})
		time.Sleep(24 * time.Hour)
		stop()
		r.wantTimes(t, 0)
		want := `level=INFO msg="resubscribe: subscribing" guard=gateway attempt=1 epoch=1 backoff=5s
level=INFO msg="resubscribe: subscribed" guard=gateway attempt=1 age=1s
`
		if got := log.String(); got != want {
			t.Errorf("log\n%s\nwant\n%s", got, want)
		}
	})
}

// TestLossIsLogged with its age (S3.7).
func TestLossIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		g := newGuard(t, Config{Ceiling: 3 * time.Second}, WithLogger(log.logger()))
		g.Begin()
		time.Sleep(4 * time.Second)
		g.Begin()
		want := `msg="resubscribe: a subscribe is unanswered and presumed lost" guard=gateway attempt=1 age=4s next=1s`
		if log.count(want) != 1 || log.count("presumed lost") != 1 {
			t.Errorf("log\n%s\nwant once\n%s", &log, want)
		}
	})
}
