package node

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// slow is a checker that takes its time.
func slow(took time.Duration, s check.Status) check.Checker {
	return check.Func(func(context.Context) check.Result {
		time.Sleep(took)
		return check.Result{Status: s}
	})
}

func runnerOf(t *testing.T, c check.Checker, s check.Sampling) *check.Runner {
	t.Helper()
	r, err := check.NewRunner("r", c, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAge: a document is as old as the oldest look that found a yes, from the
// start of that look, rounded up (R2).
func TestAge(t *testing.T) {
	long := check.Sampling{Reuse: 10 * time.Second}
	for name, tt := range map[string]struct {
		source func(t *testing.T, s *Source)
		age    int64
	}{
		"all at once":                      {func(*testing.T, *Source) {}, 0},
		"a slow one counts from its start": {func(_ *testing.T, s *Source) { s.Owner = slow(300*ms, check.Healthy) }, 300},
		"a slow one makes the others old":  {func(_ *testing.T, s *Source) { s.Owner = slow(300*ms, check.Unhealthy) }, 300},
		"rounded up":                       {func(_ *testing.T, s *Source) { s.Owner = slow(300*ms+1, check.Healthy) }, 301},
		"a runner's result that is reused": {func(t *testing.T, s *Source) {
			r := runnerOf(t, slow(200*ms, check.Healthy), long)
			r.Check(t.Context())
			time.Sleep(1500 * ms)
			s.Healthy = r
		}, 1700},
		"a runner's result that is a no": {func(t *testing.T, s *Source) {
			r := runnerOf(t, slow(200*ms, check.Unhealthy), long)
			r.Check(t.Context())
			time.Sleep(1500 * ms)
			s.Healthy = r
		}, 0},
		"a runner's run that is joined": {func(t *testing.T, s *Source) {
			r := runnerOf(t, slow(500*ms, check.Healthy), long)
			go r.Check(t.Context())
			time.Sleep(400 * ms)
			s.Ready = r
		}, 500},
		"a runner's run that hangs": {func(t *testing.T, s *Source) {
			r := runnerOf(t, slow(time.Hour, check.Healthy), long)
			r.Check(t.Context())
			time.Sleep(time.Minute)
			s.Ready = r
		}, 0},
		"a runner that is waited for": {func(t *testing.T, s *Source) {
			s.Ready = runnerOf(t, slow(time.Hour, check.Healthy), check.Sampling{Limit: 10 * time.Second})
		}, 750},
		"an ingress that is slow to read": {func(_ *testing.T, s *Source) {
			s.Ingress.(*gauge).capacity = func() (observation.Capacity, bool) {
				time.Sleep(250 * ms)
				return aCapacity, true
			}
		}, 250},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := goodSource()
				tt.source(t, &s)
				d := evaluatorOf(t, s).document(t.Context())
				if d.Result != observation.Succeeded || d.Sampled.AgeMs != tt.age {
					t.Errorf("%s at the age of %d ms, want %d", d.Result, d.Sampled.AgeMs, tt.age)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestReadyIsNoOlder: a yes of Ready that is too old is a no, and makes neither the
// document old nor the node seem dead. The log says why.
func TestReadyIsNoOlder(t *testing.T) {
	for age, want := range map[time.Duration]struct {
		ready bool
		ageMs int64
	}{
		0:               {true, 0},
		readyAge:        {true, 1500},
		readyAge + 1:    {false, 0},
		9 * time.Second: {false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := goodSource()
			r := runnerOf(t, answers(check.Healthy), check.Sampling{Reuse: 10 * time.Second})
			r.Check(t.Context())
			time.Sleep(age)
			s.Ready = r
			var log bytes.Buffer
			e, err := s.evaluator(slog.New(slog.NewTextHandler(&log, nil)))
			must(t, err)
			d := e.document(t.Context())
			if d.Result != observation.Succeeded || d.Activation.Ready != want.ready || d.Sampled.AgeMs != want.ageMs || !d.Native.Healthy {
				t.Errorf("at %v: %+v", age, d)
			}
			time.Sleep(2 * time.Second) // for the log
			synctest.Wait()
			if strings.Contains(log.String(), "must be at most 1.5s old") == want.ready {
				t.Errorf("at %v: %s", age, &log)
			}
		})
	}
}

// TestSharedRunsFailNoDocument: a dependency that hangs under a runner or a tier is
// a no, and leaves the rest of the document as it is: liveness does not follow it
// (S2.5).
func TestSharedRunsFailNoDocument(t *testing.T) {
	for _, limit := range []time.Duration{0, 300 * ms, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := goodSource()
			s.Ready = runnerOf(t, slow(time.Hour, check.Healthy), check.Sampling{Limit: limit})
			e := evaluatorOf(t, s)
			for range 3 {
				start := time.Now()
				d := e.document(t.Context())
				if d.Result != observation.Succeeded || d.Activation.Ready || !d.Native.Healthy {
					t.Errorf("limit %v: %+v", limit, d)
				}
				if took := time.Since(start); took > waitForShared {
					t.Errorf("limit %v: it took %v", limit, took)
				}
				time.Sleep(time.Second)
			}
			time.Sleep(2 * time.Hour)
		})
	}
}
