package resubscribe

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// badError is an error whose methods panic.
type badError struct{}

func (badError) Error() string { panic("no text") }
func (badError) Is(error) bool { panic("no comparison") }

// TestRunOutcomes: whatever a call does ends its attempt, and the next is after the
// back-off or never.
func TestRunOutcomes(t *testing.T) {
	for _, c := range []struct {
		name  string
		call  func() error
		again bool
		log   string
	}{
		{"nil", func() error { return nil }, false, "resubscribe: subscribed"},
		{"an error", func() error { return errRefused }, true, `err="the gateway refuses"`},
		{"a panic", func() error { panic("out of range") }, true, "resubscribe: the call panicked: out of range"},
		{"a panic with an error", func() error { panic(errRefused) }, true, "resubscribe: the call panicked: the gateway refuses"},
		{"a panic with nil", func() error { panic(nil) }, true, "the call panicked: panic called with nil argument"},
		{"Goexit", func() error { runtime.Goexit(); return nil }, true, "the call ended its goroutine"},
		{"an error whose methods panic", func() error { return badError{} }, true, "the call panicked: no comparison"},
		{"an error without a text", func() error { return errors.Join(errRefused, badText{}) }, true, `err="an error without a text"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lines
				g, r := newGuard(t, Config{}, WithLogger(log.logger())), newTrace()
				stop := run(t, g, func(_ context.Context, a Attempt) error {
					r.note(a)
					return c.call()
				})
				time.Sleep(16 * time.Second)
				if g.State().InFlight {
					t.Error("the attempt is in flight")
				}
				stop()
				if c.again {
					r.wantTimes(t, 0, 5, 15)
				} else {
					r.wantTimes(t, 0)
				}
				if log.count(c.log) == 0 {
					t.Errorf("log\n%s\nwant %s", &log, c.log)
				}
			})
		})
	}
}

// badText is an error that can be compared and not printed.
type badText struct{}

func (badText) Error() string { panic("no text") }

// TestRunRefusals are what Run does not start with.
func TestRunRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{})
		if err := g.Run(t.Context(), nil); !errors.Is(err, errNoFunction) {
			t.Errorf("Run without a function = %v", err)
		}
		never := func(context.Context, Attempt) error { t.Error("called"); return nil }
		stop := run(t, g, func(context.Context, Attempt) error { return nil })
		synctest.Wait()
		if err := g.Run(t.Context(), never); !errors.Is(err, errRunning) {
			t.Errorf("a second Run = %v", err)
		}
		stop()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		g.Restore()
		if err := g.Run(ended, never); err != nil {
			t.Errorf("Run of a context that has ended = %v, want nil", err)
		}
	})
}

// TestSlowAnswer comes after the ceiling, from a call that ignores its context: it
// changes nothing, and the call after it decides.
func TestSlowAnswer(t *testing.T) {
	for name, answer := range map[string]error{"a success": nil, "a failure": errRefused} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, r := newGuard(t, Config{}), newTrace()
				stop := run(t, g, func(_ context.Context, a Attempt) error {
					r.note(a)
					time.Sleep(60 * time.Second)
					return answer
				})
				time.Sleep(59 * time.Second)
				before := books(g)
				time.Sleep(2 * time.Second)
				if books(g) != before {
					t.Errorf("an answer at 60 s changed %+v to %+v", before, books(g))
				}
				if s := g.State(); !s.InFlight || s.OldestAge != 16*time.Second || s.PresumedLost != 1 {
					t.Errorf("at 61 s: %+v, want attempt 2 in flight", s)
				}
				time.Sleep(45 * time.Second)
				r.wantTimes(t, 0, 45, 90)
				g.Stop()
				time.Sleep(time.Minute)
				stop()
			})
		})
	}
}

// TestHungCalls cost a goroutine each, eight at most, and then nothing is sent until one
// of them returns; the guard says so and is not stuck.
func TestHungCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		var log lines
		d := &diary{}
		g, r := newGuard(t, Config{}, WithLogger(log.logger()), WithReporter(d)), newTrace()
		release := make(chan struct{})
		subscribe := func(_ context.Context, a Attempt) error {
			r.note(a)
			<-release
			return nil
		}
		stop := run(t, g, subscribe)
		time.Sleep(time.Hour)
		r.wantTimes(t, 0, 45, 90, 135, 180, 225, 270, 315)
		if got := runtime.NumGoroutine() - before; got > maxCalls+3 {
			t.Errorf("%d goroutines, want %d and those of the test", got, maxCalls)
		}
		if s := g.State(); s.InFlight || s.PresumedLost != 8 || s.NextIn != 0 || !s.NextKnown {
			t.Errorf("with all calls hung: %+v, want eight lost and none in flight", s)
		}
		if c := g.Check(t.Context()); c.Status.String() != "Degraded" || c.Description != "calls of subscribe do not return" {
			t.Errorf("check %v %q, want Degraded and why", c.Status, c.Description)
		}
		if d.last() != "busy for 50s" || log.count("no call of subscribe returns") != 1 {
			t.Errorf("reported %q last and logged\n%s\nwant busy, and one line", d.last(), &log)
		}
		stop()
		time.Sleep(time.Minute)
		stop = run(t, g, subscribe) // the bound is that of the guard
		time.Sleep(time.Minute)
		if len(r.times()) != 8 {
			t.Errorf("another Run made call %d", len(r.times()))
		}
		release <- struct{}{}
		time.Sleep(time.Second)
		if s := g.State(); len(r.times()) != 9 || !s.InFlight || s.PresumedLost != 8 {
			t.Errorf("one has returned: %d calls, %+v, want the ninth in flight", len(r.times()), s)
		}
		close(release)
		time.Sleep(time.Second)
		if c := g.Check(t.Context()); c.Status.String() != "Healthy" || c.Description != "subscribed" {
			t.Errorf("check %v %q, want it subscribed", c.Status, c.Description)
		}
		if last := d.last(); last != "idle" {
			t.Errorf("the last word is %q, want idle", last)
		}
		stop()
	})
}

// TestHungCallsAfterRun: when they return after the end of Run, the guard does not go on
// to say that they hang.
func TestHungCallsAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{}
		g := newGuard(t, Config{}, WithReporter(d))
		release := make(chan struct{})
		stop := run(t, g, func(context.Context, Attempt) error { <-release; return nil })
		time.Sleep(time.Hour)
		stop()
		if c := g.Check(t.Context()); c.Status.String() != "Degraded" || d.last() != "busy for 50s" {
			t.Errorf("check %v %q, reported %q, want Degraded and busy", c.Status, c.Description, d.last())
		}
		close(release)
		synctest.Wait()
		if c := g.Check(t.Context()); c.Status.String() != "Healthy" || d.last() != "idle" {
			t.Errorf("all have returned: check %v %q, reported %q, want Healthy and idle", c.Status, c.Description, d.last())
		}
	})
}

// late is a context that outlives its deadline.
type late struct {
	context.Context
	deadline time.Time
}

func (l late) Deadline() (deadline time.Time, ok bool) { return l.deadline, true }

// TestContextThatOutlivesItsDeadline does not keep Run from seeing an answer and Stop.
func TestContextThatOutlivesItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g, r := newGuard(t, Config{}), newTrace()
		ended := make(chan error, 1)
		go func() {
			ended <- g.Run(late{ctx, r.start.Add(time.Second)}, func(_ context.Context, a Attempt) error {
				r.note(a)
				return ErrPending
			})
		}()
		time.Sleep(2 * time.Second)
		g.Fail(1, errRefused) // the next at 7 s, and after the ceiling at 52 s
		time.Sleep(98 * time.Second)
		r.wantTimes(t, 0, 7, 52, 97)
		g.Stop()
		time.Sleep(time.Second)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("Run = %v, want nil", err)
			}
		default:
			t.Error("Run goes on a second after Stop")
		}
	})
}

// TestRunEnds: at the end of its context the calls are told, and Run waits for them, but
// not for one that stays. What is in flight remains so for the next Run.
func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{})
		var returned atomic.Bool
		stop := run(t, g, func(ctx context.Context, _ Attempt) error {
			<-ctx.Done()
			time.Sleep(400 * time.Millisecond)
			returned.Store(true)
			return ctx.Err()
		})
		time.Sleep(time.Second)
		stop()
		if s := g.State(); !returned.Load() || !s.InFlight || s.Backoff != 5*time.Second {
			t.Errorf("returned %v, %+v, want it in flight and not failed", returned.Load(), s)
		}

		release := make(chan struct{})
		g = newGuard(t, Config{})
		stop = run(t, g, func(context.Context, Attempt) error { <-release; return nil })
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took != goodbye {
			t.Errorf("Run waited %v for a call that stays, want %v", took, goodbye)
		}
		close(release)
		synctest.Wait()
		if s := g.State(); s.InFlight || s.NextKnown {
			t.Errorf("an answer after the end of Run: %+v, want it taken", s)
		}
	})
}

// TestContextOfACall has the ceiling as its deadline, and ends with the attempt.
func TestContextOfACall(t *testing.T) {
	type ended struct {
		at  time.Duration
		err error
	}
	for _, c := range []struct {
		name string
		do   func(g *Guard)
		want ended
	}{
		{"at the ceiling", func(*Guard) {}, ended{45 * time.Second, context.DeadlineExceeded}},
		{"with a restore", func(g *Guard) { g.Restore() }, ended{7 * time.Second, context.Canceled}},
		{"with Stop", func(g *Guard) { g.Stop() }, ended{7 * time.Second, context.Canceled}},
		{"with an answer from elsewhere", func(g *Guard) { g.Succeed(1) }, ended{7 * time.Second, context.Canceled}},
		{"not with a wish", func(g *Guard) { g.Resubscribe() }, ended{45 * time.Second, context.DeadlineExceeded}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for kind, pending := range map[string]bool{"a call": false, "a pending answer": true} {
				synctest.Test(t, func(t *testing.T) {
					g := newGuard(t, Config{})
					start := time.Now()
					got := make(chan ended, 9)
					stop := run(t, g, func(ctx context.Context, a Attempt) error {
						if deadline, ok := ctx.Deadline(); !ok || !deadline.Equal(a.Sent.Add(45*time.Second)) {
							t.Errorf("deadline %v, %v, want the ceiling", deadline, ok)
						}
						watch := func() {
							<-ctx.Done()
							got <- ended{time.Since(start), ctx.Err()}
						}
						if pending {
							go watch()
							return ErrPending
						}
						watch()
						return ctx.Err()
					})
					time.Sleep(7 * time.Second)
					c.do(g)
					if e := <-got; e.at != c.want.at || !errors.Is(e.err, c.want.err) {
						t.Errorf("the context of %s ended at %v by %v, want %v by %v", kind, e.at, e.err, c.want.at, c.want.err)
					}
					stop()
					g.Stop()
				})
			}
		})
	}
}

// TestAnswerFromElsewhere is a request whose answer comes over another path: good, bad,
// and for an attempt that has ended.
func TestAnswerFromElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, r := newGuard(t, Config{}), newTrace()
		stop := run(t, g, func(_ context.Context, a Attempt) error {
			r.note(a)
			return ErrPending
		})
		time.Sleep(2 * time.Second)
		if !g.Fail(1, errRefused) { // at 2 s: the next at 7 s
			t.Error("the failure was not taken")
		}
		time.Sleep(8 * time.Second)
		if g.Succeed(1) || !g.Succeed(2) {
			t.Error("want the answer to attempt 2, and none to 1")
		}
		time.Sleep(time.Hour)
		stop()
		r.wantTimes(t, 0, 7)
	})
}

// TestNoCallAfterStop: an attempt that has begun is not sent when the guard was stopped
// before its call was made (S3.11, X28).
func TestNoCallAfterStop(t *testing.T) {
	g := newGuard(t, Config{})
	d := &driver{guard: g, subscribe: func(context.Context, Attempt) error {
		t.Error("called after Stop")
		return nil
	}}
	a, _, _ := g.Begin()
	g.Stop()
	d.contain(t.Context(), a, func(err error, pending bool) {
		if !errors.Is(err, errEnded) || pending {
			t.Errorf("outcome %v, %v, want that it has ended", err, pending)
		}
	})
}

// TestRunOfRandomHistories lets random gateways, restores, wishes and answers from
// elsewhere meet, often at the same instant, in ten minutes each: never two calls closer
// than the floor, none after Stop, and in the end all is subscribed. That no two are in
// flight below the ceiling is for TestModel.
func TestRunOfRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 6))
			c := Config{Ceiling: time.Duration(1+random.IntN(20)) * time.Second}
			if random.IntN(2) == 0 {
				c.Jitter = 0.2
			}
			g, r := newGuard(t, c), newTrace()
			var good, stopped atomic.Bool
			answers := make([]int, 4096)
			for i := range answers {
				answers[i] = random.IntN(6)
			}
			stop := run(t, g, func(ctx context.Context, a Attempt) error {
				r.note(a)
				if stopped.Load() {
					t.Error("a call after Stop")
				}
				if good.Load() {
					return nil
				}
				switch answers[a.ID%uint64(len(answers))] {
				case 0:
					return nil
				case 1:
					return errRefused
				case 2:
					return ErrPending
				case 3:
					panic("a client")
				case 4:
					time.Sleep(g.config.Ceiling)
					return nil
				default:
					<-ctx.Done()
					return ctx.Err()
				}
			})
			for range 300 {
				time.Sleep(time.Duration(random.IntN(5)) * time.Second)
				last := g.State().Sends
				switch random.IntN(8) {
				case 0:
					g.Restore()
				case 1:
					g.Resubscribe()
				case 2:
					g.Succeed(last)
				case 3:
					g.Fail(last, errRefused)
				case 4:
					g.Succeed(uint64(random.IntN(int(last) + 1)))
				}
			}
			good.Store(true)
			time.Sleep(3 * time.Minute)
			if s := g.State(); s.InFlight || s.NextKnown {
				t.Errorf("seed %d: %+v, want it subscribed when the gateway is well", seed, s)
			}
			g.Restore()
			g.Stop()
			stopped.Store(true)
			time.Sleep(time.Minute)
			stop()
			r.wantSpaced(t, 5*time.Second)
			if t.Failed() {
				t.Logf("seed %d: %s", seed, strings.TrimSpace(time.Since(r.start).String()))
			}
		})
	}
}
