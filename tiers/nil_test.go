package tiers_test

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestNilFailsClosed calls every method of a nil Set: none panics, what can
// return an error does, and no tier but the live one is healthy.
func TestNilFailsClosed(t *testing.T) {
	var s *tiers.Set
	errorType := reflect.TypeFor[error]()
	for v, i := reflect.ValueOf(s), 0; i < v.NumMethod(); i++ {
		name, method := v.Type().Method(i).Name, v.Method(i)
		args := make([]reflect.Value, method.Type().NumIn())
		for j := range args {
			args[j] = reflect.Zero(method.Type().In(j))
		}
		call := method.Call
		if method.Type().IsVariadic() {
			call = method.CallSlice
		}
		for _, result := range call(args) {
			if result.Type() == errorType && result.IsNil() {
				t.Errorf("%s: no error", name)
			}
		}
	}
	for _, register := range []error{
		s.AddReady("a", answer(check.Healthy)), s.Mount(http.NewServeMux()), s.Run(t.Context()),
	} {
		if register == nil || register.Error() != "tiers: set nil: must not be nil" {
			t.Errorf("error %v", register)
		}
	}
	s.Observe(func(check.Sample) {})()
	for _, tier := range []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged, tiers.Live} {
		code, status := 503, check.Unhealthy
		if tier == tiers.Live {
			code, status = 200, check.Healthy
		}
		if got := s.Evaluate(t.Context(), tier).Status; got != status {
			t.Errorf("%s is %v", tier, got)
		}
		want(t, probe(s.Handler(tier), "GET", "/"), code, status.String())
		broken := s.Handler(tier, tiers.WithResponseWriter(func(http.ResponseWriter, *http.Request, tiers.Report) { panic(canary) }))
		if got := probe(broken, "GET", "/").Code; got == 200 && tier != tiers.Live {
			t.Errorf("%s with a broken writer: %d", tier, got)
		}
		if _, _, ok := s.Last(tier); ok {
			t.Errorf("%s has a last report", tier)
		}
	}
}

// TestNegativeRefreshIsRefused by the first call that can tell.
func TestNegativeRefreshIsRefused(t *testing.T) {
	s := tiers.New(tiers.WithRefresh(-time.Second))
	_, endpoints := s.Endpoints()
	for name, err := range map[string]error{
		"AddReady": s.AddReady("a", answer(check.Healthy)), "Register": s.Register("a", answer(check.Healthy), "ready"),
		"Mount": s.Mount(http.NewServeMux()), "Endpoints": endpoints, "Run": s.Run(t.Context()),
	} {
		if err == nil || err.Error() != "tiers: refresh -1s: must not be negative" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRunWithoutAContext takes nil for a context that never ends. The only way
// to end that Run is from inside: by a clock of ours, which it reads after it
// has looked at its context.
func TestRunWithoutAContext(t *testing.T) {
	var none context.Context
	ended := make(chan struct{})
	s := tiers.New(tiers.WithClock(exitingClock{fixedClock()}))
	go func() {
		defer close(ended)
		_ = s.Run(none)
		t.Error("Run without an end has returned")
	}()
	<-ended
	if err := tiers.New(tiers.WithRefresh(-1)).Run(none); err == nil {
		t.Error("no error")
	}
}

// exitingClock ends the goroutine that reads it.
type exitingClock struct{ clock.Clock }

func (exitingClock) Now() time.Time {
	runtime.Goexit()
	return time.Time{}
}
