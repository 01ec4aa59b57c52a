package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestCase109DependencyDown takes a database away for 145 s. The live tier
// never notices; ready answers 503 from the first sample after the outage
// began, and after it ended 200 or, when the loops have wedged meanwhile, still
// 503 (CASE-109).
func TestCase109DependencyDown(t *testing.T) {
	for name, wedgedAt := range map[string]time.Duration{"outage": time.Hour, "outage and wedge": 100 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				since := func() time.Duration { return time.Since(start) }
				s := tiers.New()
				must(t, s.AddReady("database", check.Ping(func(context.Context) error {
					if at := since(); at >= 10*time.Second && at < 155*time.Second {
						return errors.New("connection refused")
					}
					return nil
				})))
				must(t, s.AddReady("processors", instant(func() check.Result {
					if since() > wedgedAt+5*time.Second {
						return check.Result{Description: "stale"}
					}
					return check.Result{Status: check.Healthy}
				})))
				if err := s.Register("live", answer(check.Healthy), tiers.TagLive); !errors.Is(err, tiers.ErrInvalidTag) {
					t.Errorf("a check on the live tier: %v", err)
				}
				mux := mounted(t, s)
				for at := range 161 {
					code, status := 200, "Healthy"
					if down, wedged := at >= 10 && at < 155, time.Duration(at)*time.Second > wedgedAt+5*time.Second; down || wedged {
						code, status = 503, "Unhealthy"
					}
					want(t, probe(mux, "GET", "/health/ready"), code, status)
					if live := want(t, probe(mux, "GET", "/healthz"), 200, "Healthy"); len(live.Entries) != 0 {
						t.Fatalf("the live tier has entries: %v", live)
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}

// TestCase110HungCheck lets a check that has passed hang, ignoring its context.
// Every probe is answered within the limit, says timeout, and the first one
// after the check returned runs it again (CASE-110).
func TestCase110HungCheck(t *testing.T) {
	for _, limit := range []time.Duration{2 * time.Second, 100 * time.Millisecond, 0} {
		t.Run(limit.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				s := tiers.New()
				must(t, s.AddReady("db", check.Func(func(context.Context) check.Result {
					if at := time.Since(start); at >= time.Second && at < time.Minute {
						time.Sleep(time.Minute - at) // hangs, whatever its context says
					}
					return check.Result{Status: check.Healthy}
				}), tiers.WithSampling(check.Sampling{Limit: limit})))
				must(t, s.AddReady("other", answer(check.Healthy)))
				within := limit
				if within == 0 {
					within = check.DefaultLimit
				}
				mux := mounted(t, s)
				until := func(at time.Duration) { time.Sleep(at - time.Since(start)) }

				want(t, probe(mux, "GET", "/health/ready"), 200, "Healthy")
				for _, at := range []time.Duration{10 * time.Second, 14 * time.Second, 50 * time.Second} {
					until(at)
					before := time.Now()
					b := want(t, probe(mux, "GET", "/health/ready"), 503, "Unhealthy")
					if took := time.Since(before); took > within {
						t.Errorf("at %v: answered after %v, limit %v", at, took, within)
					}
					if d := b.Entries["db"].Description; d == nil || *d != "timeout" || b.Entries["other"].Status != "Healthy" {
						t.Errorf("at %v: %v", at, b.Entries)
					}
					if got := s.CheckStates()[0]; got.Hung != 1 {
						t.Errorf("at %v: %d runs hang", at, got.Hung)
					}
				}
				until(61 * time.Second)
				want(t, probe(mux, "GET", "/health/ready"), 200, "Healthy")
			})
		})
	}
}

// TestLiveAnswersWhileAllHangs (S1.5).
func TestLiveAnswersWhileAllHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		release := make(chan struct{})
		for i, tag := range []string{tiers.TagReady, tiers.TagActive, "startup", "wedged"} {
			must(t, s.Register(fmt.Sprint(i), check.Func(func(context.Context) check.Result {
				<-release
				return check.Result{}
			}), tag))
		}
		mux := mounted(t, s)
		go probe(mux, "GET", "/health/ready")
		go probe(mux, "GET", "/health/active")
		synctest.Wait()
		before := time.Now()
		want(t, probe(mux, "GET", "/healthz"), 200, "Healthy")
		if took := time.Since(before); took != 0 {
			t.Errorf("the live tier took %v", took)
		}
		close(release)
	})
}

// TestLiveRunsNoCheck probes the live tier in every way there is and counts the
// calls of checks on all the others (S1.5). That they are counted
// is shown at the end.
func TestLiveRunsNoCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		var calls tally
		for _, tag := range []string{tiers.TagReady, tiers.TagActive, "startup", "wedged"} {
			must(t, s.Register(tag, check.Func(func(context.Context) check.Result {
				calls.add(tag)
				return check.Result{}
			}), tag))
			must(t, s.Register("instant "+tag, instant(func() check.Result {
				calls.add("instant " + tag)
				return check.Result{}
			}), tag))
		}
		endpoints, err := s.Endpoints()
		must(t, err)
		for _, h := range []http.Handler{
			mounted(t, s), endpoints, s.Handler(tiers.Live),
			mounted(t, s, tiers.WithResponseWriter(tiers.WriteStatusOnly)),
			mounted(t, s, tiers.WithResponseWriter(func(http.ResponseWriter, *http.Request, tiers.Report) { panic(canary) })),
		} {
			for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
				if rec := probe(h, method, "/healthz"); rec.Code != 200 {
					t.Errorf("%s: %d", method, rec.Code)
				}
			}
		}
		s.Evaluate(t.Context(), tiers.Live)
		s.Last(tiers.Live)
		synctest.Wait() // also for checks that nobody waits for
		time.Sleep(time.Minute)
		if n := calls.take(); len(n) != 0 {
			t.Errorf("calls %v", n)
		}
		s.Evaluate(t.Context(), tiers.Ready)
		if n := calls.take(); len(n) != 2 {
			t.Errorf("the ready tier calls %v", n)
		}
	})
}

// TestChecksRunAtTheSameTime asks many slow checks, some of which hang: the
// tier takes as long as its slowest limit, and not their sum (S1.40).
func TestChecksRunAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		slow := func(d time.Duration) check.Checker {
			return check.Func(func(context.Context) check.Result {
				time.Sleep(d)
				return check.Result{Status: check.Healthy}
			})
		}
		for i := range 50 {
			must(t, s.AddReady(fmt.Sprintf("slow-%d", i), slow(300*time.Millisecond)))
			must(t, s.AddReady(fmt.Sprintf("hung-%d", i), slow(time.Hour), tiers.WithSampling(check.Sampling{Limit: 700 * time.Millisecond})))
		}
		report := s.Evaluate(t.Context(), tiers.Ready)
		if report.Total != 700*time.Millisecond || report.Status != check.Unhealthy {
			t.Errorf("%v after %v, want Unhealthy after 700ms", report.Status, report.Total)
		}
		for _, e := range report.Entries {
			if healthy := strings.HasPrefix(e.Name, "slow"); healthy != (e.Status == check.Healthy) || healthy && e.Duration != 300*time.Millisecond || !healthy && e.Duration != 700*time.Millisecond {
				t.Errorf("%s: %v after %v", e.Name, e.Status, e.Duration)
			}
		}
		time.Sleep(time.Hour) // for the hung ones to end
	})
}

// TestCase111PanickingChecks asks 100 times for a tier with checks that break
// in every way (CASE-111).
func TestCase111PanickingChecks(t *testing.T) {
	s := tiers.New()
	broken := map[string]func(){
		"boom1": func() { panic(errors.New(canary)) },
		"boom2": func() { panic(canary) },
		"boom3": func() { panic(nil) }, //nolint:govet // on purpose
		"boom4": func() { var m []int; m[len(canary)]++ },
		"exit":  runtime.Goexit,
	}
	for name, breaks := range broken {
		c := check.Func(func(context.Context) check.Result { breaks(); return check.Result{Status: check.Healthy} })
		must(t, s.AddReady(name, c, tiers.WithSampling(check.Sampling{NoReuse: true})))
		must(t, s.AddReady("instant "+name, instant(func() check.Result { breaks(); return check.Result{Status: check.Healthy} })))
	}
	must(t, s.AddReady("ok", answer(check.Healthy)))
	if err := s.AddReady("nilcheck", (*wrongPointer)(nil)); err == nil {
		t.Error("a typed nil was taken")
	}
	mux := mounted(t, s)
	before := runtime.NumGoroutine()
	for round := range 100 {
		rec := probe(mux, "GET", "/health/ready")
		b := want(t, rec, 503, "Unhealthy")
		if len(b.Entries) != 2*len(broken)+1 || b.Entries["ok"].Status != "Healthy" || strings.Contains(rec.Body.String(), canary) {
			t.Fatalf("round %d: %s", round, rec.Body)
		}
		for name := range broken {
			for _, name := range []string{name, "instant " + name} {
				if e := b.Entries[name]; e.Status != "Unhealthy" || e.Description == nil || *e.Description != "panic" {
					t.Fatalf("round %d: %s: %+v", round, name, e)
				}
			}
		}
		// Those of the last round may still be on their way out.
		if n := runtime.NumGoroutine(); n > before+4*len(b.Entries) {
			t.Fatalf("round %d: %d goroutines, %d before", round, n, before)
		}
	}
}

// TestCallerThatGivesUp ends a probe's context: that probe is answered at once,
// and neither the check's result nor the tier's last report knows of it
// (S1.15, F30).
func TestCallerThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tiers.New()
		calls := 0
		must(t, s.AddReady("slow", check.Func(func(ctx context.Context) check.Result {
			calls++
			select {
			case <-time.After(500 * time.Millisecond):
				return check.Result{Status: check.Healthy}
			case <-ctx.Done():
				return check.Result{Description: "cancelled"}
			}
		})))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		report := s.Evaluate(ctx, tiers.Ready)
		if report.Status != check.Unhealthy || report.Total != 100*time.Millisecond {
			t.Errorf("%v after %v, want Unhealthy after 100ms", report.Status, report.Total)
		}
		if _, _, ok := s.Last(tiers.Ready); ok {
			t.Error("the report of a caller that gave up was kept")
		}
		time.Sleep(350 * time.Millisecond)
		want(t, probe(mounted(t, s), "GET", "/health/ready"), 200, "Healthy")
		if calls != 1 {
			t.Errorf("%d calls, want the one that the first caller started", calls)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		time.Sleep(time.Minute)
		if got := s.Evaluate(gone, tiers.Ready); got.Status != check.Unhealthy {
			t.Errorf("%v for a caller that was gone before", got.Status)
		}
		if last, _, _ := s.Last(tiers.Ready); last.Status != check.Healthy {
			t.Errorf("last report %v", last.Status)
		}
	})
}

// TestNilContext takes nil for a caller without a limit.
func TestNilContext(t *testing.T) {
	s := tiers.New()
	must(t, s.AddReady("a", answer(check.Healthy)))
	var none context.Context
	if got := s.Evaluate(none, tiers.Ready); got.Status != check.Healthy {
		t.Errorf("%v", got)
	}
}
