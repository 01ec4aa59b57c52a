package check_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/check"
)

func TestObserverGetsEverySample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []check.Sample
		d := newDependency()
		r := newRunner(t, d, check.Sampling{}, check.WithObserver(func(s check.Sample) { seen = append(seen, s) }))
		sample := func() {
			r.Check(t.Context())
			r.Check(t.Context()) // a result that is reused is no new sample
			synctest.Wait()
			time.Sleep(time.Second)
		}
		sample()
		d.set(check.Degraded)
		sample()
		d.set(check.Unhealthy)
		sample()
		release := d.hang()
		sample()
		sample() // hung already: no new sample
		release()
		synctest.Wait() // nor is a late return
		var got []check.Outcome
		for _, s := range seen {
			got = append(got, s.Outcome)
		}
		want := []check.Outcome{check.OK, check.DegradedOutcome, check.Failed, check.Timeout}
		if len(got) != len(want) {
			t.Fatalf("observed %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("observed %v, want %v", got, want)
			}
		}
		if seen[3].Duration != 800*ms || seen[3].Name != "db" {
			t.Errorf("timeout observed as %+v", seen[3])
		}
	})
}

// TestSlowObserverMissesTheOldest is the bounded, latest-wins queue.
func TestSlowObserverMissesTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		var seen []time.Time
		r := newRunner(t, newDependency(), check.Sampling{NoReuse: true}, check.WithObserver(func(s check.Sample) {
			<-block
			seen = append(seen, s.Started)
		}))
		start := time.Now()
		r.Check(t.Context())
		synctest.Wait() // the first is with the hook
		for range 20 {
			time.Sleep(time.Second)
			wantSample(t, r.Sample(t.Context()), check.Healthy, check.OK)
		}
		if got := r.Events().DroppedSamples; got != 4 {
			t.Errorf("%d dropped, want 4", got)
		}
		close(block)
		synctest.Wait()
		if len(seen) != 17 || !seen[0].Equal(start) {
			t.Fatalf("%d samples seen", len(seen))
		}
		for i, at := range seen[1:] {
			if want := start.Add(time.Duration(i+5) * time.Second); !at.Equal(want) {
				t.Errorf("sample %d started at %v, want %v", i+1, at, want)
			}
		}
	})
}

// TestHooksReenter is F25: check and hooks call every method of their own
// runner, and nothing deadlocks. A goroutine that waits for a lock does not let
// synctest end the test, so a watchdog on the real clock does.
func TestHooksReenter(t *testing.T) {
	for _, kind := range []string{"I/O", "instant"} {
		t.Run(kind, func(t *testing.T) {
			watchdog := time.AfterFunc(5*time.Second, func() { panic("deadlock in TestHooksReenter") })
			defer watchdog.Stop()
			synctest.Test(t, func(t *testing.T) {
				var r *check.Runner
				var observed, logged atomic.Int64
				gone, cancel := context.WithCancel(t.Context())
				cancel()
				all := func(ctx context.Context) {
					r.Last()
					r.Name()
					r.Instant()
					r.MaxAge()
					r.Hung()
					r.Events()
					r.Check(ctx)
					r.Sample(ctx)
					checkAll(ctx, r, r)
					_ = r.Run(gone)
				}
				status := check.Healthy
				var c check.Checker = check.Func(func(ctx context.Context) check.Result {
					all(ctx)
					return check.Result{Status: status}
				})
				if kind == "instant" {
					c = instant{c}
				}
				// The hooks ask with a context that has ended: an Instant
				// check would otherwise be sampled anew by each sample.
				log := slog.New(handlerFunc(func(slog.Record) { logged.Add(1); all(gone) }))
				r = newRunner(t, c, check.Sampling{Every: time.Second, NoReuse: true},
					check.WithObserver(func(check.Sample) { observed.Add(1); all(gone) }), check.WithLogger(log))
				for range 10 {
					r.Check(t.Context())
					time.Sleep(2 * time.Second)
					status = check.Healthy - status // flap
				}
				synctest.Wait()
				if observed.Load() != 10 || logged.Load() < 9 {
					t.Errorf("observed %d, logged %d", observed.Load(), logged.Load())
				}
			})
		})
	}
}

// TestHookThatBlocksForever holds up neither the check nor the other hooks.
func TestHookThatBlocksForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		defer close(block)
		var observed int
		d := newDependency()
		r := newRunner(t, d, check.Sampling{NoReuse: true},
			check.WithObserver(func(check.Sample) { <-block }),
			check.WithLogger(slog.New(handlerFunc(func(slog.Record) { <-block }))),
			check.WithObserver(func(check.Sample) { observed++ }))
		d.set(check.Unhealthy)
		for range 100 {
			start := time.Now()
			wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Failed)
			if time.Since(start) != 0 {
				t.Fatal("a hook held up a probe")
			}
			time.Sleep(time.Second)
		}
		wantGoroutines(t, 2) // one for each blocked hook
		if observed != 100 {
			t.Errorf("the free hook saw %d of 100 samples", observed)
		}
	})
}

// TestBrokenLogHandler panics, exits and counts the lines that were due.
func TestBrokenLogHandler(t *testing.T) {
	for name, broken := range map[string]func(){
		"panics": func() { panic("boom") },
		"exits":  func() { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := 0
				d := newDependency()
				r := newRunner(t, d, check.Sampling{}, check.WithLogger(slog.New(handlerFunc(func(slog.Record) {
					lines++
					broken()
				}))))
				for i := range 10 {
					d.set(check.Status(i / 5)) // five times Unhealthy, five times Degraded
					r.Check(t.Context())
					time.Sleep(2 * time.Second)
				}
				if lines != 2 {
					t.Errorf("%d lines for two changes", lines)
				}
			})
		})
	}
}

func TestErrorThatBreaksTheLog(t *testing.T) {
	for name, broken := range map[string]func(){
		"panics": func() { panic("boom") },
		"exits":  runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				r := newRunner(t, check.Func(func(context.Context) check.Result {
					return check.Result{Err: hostile{broken}}
				}), check.Sampling{}, check.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
				wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Failed)
				synctest.Wait()
				time.Sleep(time.Minute)
				wantSample(t, r.Sample(t.Context()), check.Unhealthy, check.Failed)
			})
		})
	}
}

// TestLogTellsChangesOnly is the log hook: a line for each change,
// with the error, and none for more of the same.
func TestLogTellsChangesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		result := check.Result{Status: check.Healthy, Err: errors.New("ignored while nothing changes")}
		r := newRunner(t, check.Func(func(context.Context) check.Result { return result }), check.Sampling{},
			check.WithLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
				ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == slog.TimeKey {
						return slog.Attr{}
					}
					return a
				},
			}))))
		for _, tt := range []struct {
			result check.Result
			want   string
		}{
			{result, ""}, // that it works is no news
			{check.Result{Err: errors.New("dial: refused")}, `level=WARN msg="check changed" check=db status=Unhealthy outcome=failed duration=0s err="dial: refused"`},
			{check.Result{Err: errors.New("dial: another text")}, ""},
			{check.Result{Status: check.Degraded}, `level=WARN msg="check changed" check=db status=Degraded outcome=degraded duration=0s`},
			{check.Result{Status: check.Healthy}, `level=INFO msg="check changed" check=db status=Healthy outcome=ok duration=0s`},
			{check.Result{Status: check.Healthy}, ""},
			{check.Result{Err: errors.New("forged\nlevel=INFO msg=ok")}, `level=WARN msg="check changed" check=db status=Unhealthy outcome=failed duration=0s err="forged\nlevel=INFO msg=ok"`},
		} {
			out.Reset()
			for range 3 {
				result = tt.result
				r.Check(t.Context())
				synctest.Wait()
				time.Sleep(time.Second)
			}
			if got := strings.TrimSuffix(out.String(), "\n"); got != tt.want {
				t.Errorf("logged %q, want %q", got, tt.want)
			}
		}
	})
}

// TestLogTellsAnotherClass: from refusing to hanging is a change as well.
func TestLogTellsAnotherClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := newDependency()
		d.set(check.Unhealthy)
		r := newRunner(t, d, check.Sampling{}, check.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
		r.Check(t.Context())
		time.Sleep(2 * time.Second)
		release := d.hang()
		r.Check(t.Context())
		synctest.Wait()
		if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `outcome=timeout duration=800ms err="check: no answer within 800ms"`) {
			t.Errorf("logged %s", got)
		}
		release()
	})
}

func TestLogOfAPanicHasTheStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		r := newRunner(t, check.Func(brokenChecks["panic string"]), check.Sampling{},
			check.WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
		r.Check(t.Context())
		synctest.Wait()
		for _, want := range []string{"outcome=panic", "boom: hunter2", "stack=", "contain_test.go"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in %s", want, out.String())
			}
		}
	})
}

// TestFlappingCheck is F29: no hysteresis, every change counted, and a log
// of one line a second that ends with the newest state.
func TestFlappingCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		d := newDependency()
		r := newRunner(t, d, check.Sampling{NoReuse: true}, check.WithLogger(slog.New(handlerFunc(func(rec slog.Record) {
			rec.Attrs(func(a slog.Attr) bool {
				if a.Key == "status" {
					lines = append(lines, a.Value.String())
				}
				return true
			})
		}))))
		start := time.Now()
		for i := range 1000 { // 10 s of a change every 10 ms
			d.set([]check.Status{check.Unhealthy, check.Healthy}[i%2])
			want := []check.Status{check.Unhealthy, check.Healthy}[i%2]
			if got := r.Check(t.Context()); got.Status != want {
				t.Fatalf("call %d: %v, want %v: each sample stands for itself", i, got.Status, want)
			}
			synctest.Wait()
			time.Sleep(10 * ms)
		}
		if got := r.Events().Transitions; got != 999 {
			t.Errorf("%d transitions counted, want 999", got)
		}
		if most := int(time.Since(start)/time.Second) + 1; len(lines) > most || len(lines) < 9 {
			t.Errorf("%d lines in 10 s", len(lines))
		}
		for i, want := range []check.Status{check.Unhealthy, check.Healthy} {
			d.set(want)
			time.Sleep(time.Second)
			r.Check(t.Context())
			synctest.Wait()
			if last := lines[len(lines)-1]; last != want.String() {
				t.Errorf("steady state %d: the last line says %s, want %v", i, last, want)
			}
		}
	})
}

// handlerFunc is a slog.Handler.
type handlerFunc func(slog.Record)

func (f handlerFunc) Enabled(context.Context, slog.Level) bool { return true }
func (f handlerFunc) Handle(_ context.Context, r slog.Record) error {
	f(r)
	return nil
}
func (f handlerFunc) WithAttrs([]slog.Attr) slog.Handler { return f }
func (f handlerFunc) WithGroup(string) slog.Handler      { return f }

// TestLogTellsWhatChangedWithinTheGap: a change within a second of a line is
// told when the second is over, whether or not there is another sample.
func TestLogTellsWhatChangedWithinTheGap(t *testing.T) {
	type line struct {
		at      time.Duration
		outcome string
		skipped uint64
	}
	failThenHang := func(_ *check.Runner, d *dependency) { d.hang() }
	for name, tt := range map[string]struct {
		then func(*check.Runner, *dependency) // at 100 ms, after the first line
		want []line
	}{
		"a failure, then a hang": {failThenHang, []line{{0, "failed", 0}, {time.Second, "timeout", 0}}},
		"a recovery":             {func(_ *check.Runner, d *dependency) { d.set(check.Healthy) }, []line{{0, "failed", 0}, {time.Second, "ok", 0}}},
		"nothing":                {func(*check.Runner, *dependency) {}, []line{{0, "failed", 0}}},
		"there and back": {func(r *check.Runner, d *dependency) {
			d.set(check.Healthy)
			r.Check(context.Background())
			d.set(check.Unhealthy)
		}, []line{{0, "failed", 0}}},
		"two changes": {func(r *check.Runner, d *dependency) {
			d.set(check.Healthy)
			r.Check(context.Background())
			synctest.Wait()
			time.Sleep(50 * ms)
			d.set(check.Degraded)
		}, []line{{0, "failed", 0}, {time.Second, "degraded", 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var lines []line
				d := newDependency()
				d.set(check.Unhealthy)
				r := newRunner(t, d, check.Sampling{NoReuse: true}, check.WithLogger(slog.New(handlerFunc(func(rec slog.Record) {
					l := line{at: time.Since(start)}
					rec.Attrs(func(a slog.Attr) bool {
						switch a.Key {
						case "outcome":
							l.outcome = a.Value.String()
						case "skipped":
							l.skipped = a.Value.Uint64()
						}
						return true
					})
					lines = append(lines, l)
				}))))
				r.Check(t.Context())
				synctest.Wait()
				time.Sleep(100 * ms)
				tt.then(r, d)
				r.Check(t.Context())
				time.Sleep(time.Minute) // and nobody asks
				synctest.Wait()
				if !slices.Equal(lines, tt.want) {
					t.Errorf("lines %v, want %v", lines, tt.want)
				}
				if hold := d.hold.Load(); hold != nil {
					close(*hold)
				}
			})
		})
	}
}

// TestLogGapUnderASetBackClock tells the newest state a second later, also when
// the clock says that the last line was written an hour from now.
func TestLogGapUnderASetBackClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mock := clock.NewMock()
		mock.Add(2 * time.Hour)
		lines := 0
		d := newDependency()
		d.set(check.Unhealthy)
		r := newRunner(t, d, check.Sampling{NoReuse: true}, check.WithLogger(slog.New(handlerFunc(func(slog.Record) { lines++ }))), check.WithClock(mock))
		r.Check(t.Context())
		synctest.Wait()
		mock.Set(time.Unix(0, 0).Add(time.Hour))
		d.set(check.Degraded)
		r.Check(t.Context())
		synctest.Wait()
		for i, want := range []int{1, 2, 2} {
			mock.Add([]time.Duration{time.Second - 1, 1, time.Hour}[i])
			synctest.Wait()
			if lines != want {
				t.Errorf("step %d: %d lines, want %d", i, lines, want)
			}
		}
	})
}
