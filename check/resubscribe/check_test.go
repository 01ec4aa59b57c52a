package resubscribe

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
)

// TestCheck goes through the life of a guard: the status, the text, and the data, of
// which those that are not known are left out.
func TestCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{DegradedAfter: 2})
		want := func(after string, status check.Status, text string, data map[string]any) {
			t.Helper()
			data["key"] = "gateway"
			got := g.Check(t.Context())
			if diff := cmp.Diff(check.Result{Status: status, Description: text, Data: data}, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", after, diff)
			}
		}
		type d = map[string]any
		want("made", check.Healthy, "waiting to subscribe", d{"epoch": uint64(1), "sends": uint64(0), "presumedLost": uint64(0), "nextInMs": int64(0)})
		g.Begin()
		time.Sleep(1500 * time.Millisecond)
		want("begun", check.Healthy, "subscribing", d{"epoch": uint64(1), "sends": uint64(1), "presumedLost": uint64(0), "inFlightMs": int64(1500)})
		time.Sleep(44 * time.Second)
		g.Begin()
		want("lost", check.Healthy, "subscribing", d{"epoch": uint64(1), "sends": uint64(2), "presumedLost": uint64(1), "inFlightMs": int64(0)})
		time.Sleep(45 * time.Second)
		a, _, _ := g.Begin()
		want("lost twice", check.Degraded, "no answer to subscribe requests", d{"epoch": uint64(1), "sends": uint64(3), "presumedLost": uint64(2), "inFlightMs": int64(0)})
		g.Fail(a.ID, errRefused)
		want("failed", check.Healthy, "waiting to subscribe", d{"epoch": uint64(1), "sends": uint64(3), "presumedLost": uint64(2), "nextInMs": int64(20000)})
		g.Restore()
		want("restored", check.Healthy, "waiting to subscribe", d{"epoch": uint64(2), "sends": uint64(3), "presumedLost": uint64(2), "nextInMs": int64(5000)})
		time.Sleep(5 * time.Second)
		a, _, _ = g.Begin()
		g.Succeed(a.ID)
		want("succeeded", check.Healthy, "subscribed", d{"epoch": uint64(2), "sends": uint64(4), "presumedLost": uint64(2)})
		g.Stop()
		want("stopped", check.Healthy, "stopped", d{"epoch": uint64(2), "sends": uint64(4), "presumedLost": uint64(2)})
	})
}

// TestDegradedAfter: never by default, at the bound and not a step before, through
// restores, and until an answer.
func TestDegradedAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never, three := newGuard(t, Config{}), newGuard(t, Config{DegradedAfter: 3})
		statuses := func() [2]check.Status {
			return [2]check.Status{never.Check(t.Context()).Status, three.Check(t.Context()).Status}
		}
		for lost := range 6 {
			if lost == 4 {
				never.Restore()
				three.Restore()
			}
			want := [2]check.Status{check.Healthy, check.Healthy}
			if lost >= 3 {
				want[1] = check.Degraded
			}
			never.Begin()
			three.Begin()
			if got := statuses(); got != want {
				t.Errorf("after %d losses: %v, want %v", lost, got, want)
			}
			time.Sleep(45 * time.Second)
		}
		three.Begin()
		three.Succeed(three.State().Sends)
		if got := three.Check(t.Context()).Status; got != check.Healthy {
			t.Errorf("after an answer: %v, want Healthy", got)
		}
	})
}

// TestNobodyLooks: an attempt past the ceiling is lost for the check, also when nobody
// asks for the next one.
func TestNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Config{DegradedAfter: 1})
		g.Begin()
		for _, step := range []struct {
			wait time.Duration
			want check.Status
		}{{45 * time.Second, check.Healthy}, {1, check.Degraded}, {time.Hour, check.Degraded}} {
			time.Sleep(step.wait)
			if got := g.Check(t.Context()).Status; got != step.want {
				t.Errorf("another %v: %v, want %v", step.wait, got, step.want)
			}
		}
	})
}

// TestCheckByARunner is evaluated for each request, without reuse.
func TestCheckByARunner(t *testing.T) {
	g := newGuard(t, Config{})
	runner, err := check.NewRunner("gateway", g, check.Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	if s := runner.Sample(t.Context()); s.Result.Description != "waiting to subscribe" {
		t.Errorf("sample %+v", s)
	}
	g.Begin()
	if s := runner.Sample(t.Context()); s.Result.Description != "subscribing" {
		t.Errorf("sample %+v, want the change at once", s)
	}
}
