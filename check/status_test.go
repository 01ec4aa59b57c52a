package check_test

import (
	"fmt"
	"testing"

	"github.com/loopvitals/loopvitals/check"
)

func TestStatusStrings(t *testing.T) {
	want := map[check.Status]string{0: "Unhealthy", 1: "Degraded", 2: "Healthy"}
	for i := range 256 {
		s := check.Status(i)
		text, known := want[s]
		if !known {
			text = fmt.Sprintf("status_%d", i)
		}
		if s.String() != text {
			t.Errorf("Status(%d) is %q, want %q", i, s, text)
		}
		if !known && s.Known() != check.Unhealthy || known && s.Known() != s {
			t.Errorf("Status(%d).Known() is %v", i, s.Known())
		}
	}
}

func TestZeroResultIsUnhealthy(t *testing.T) {
	var r check.Result
	if r.Status != check.Unhealthy {
		t.Error("a forgotten Result must fail closed")
	}
}

func TestWorst(t *testing.T) {
	const unknown = check.Status(77)
	for _, tt := range []struct{ a, b, want check.Status }{
		{check.Healthy, check.Healthy, check.Healthy},
		{check.Healthy, check.Degraded, check.Degraded},
		{check.Degraded, check.Degraded, check.Degraded},
		{check.Degraded, check.Unhealthy, check.Unhealthy},
		{check.Healthy, check.Unhealthy, check.Unhealthy},
		{check.Healthy, unknown, check.Unhealthy},
	} {
		if got := check.Worst(tt.a, tt.b); got != tt.want {
			t.Errorf("Worst(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := check.Worst(tt.b, tt.a); got != tt.want {
			t.Errorf("Worst(%v, %v) = %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestOutcomeStrings(t *testing.T) {
	want := []string{"failed", "timeout", "panic", "degraded", "ok"}
	for i := range 256 {
		text := fmt.Sprintf("outcome_%d", i)
		if i < len(want) {
			text = want[i]
		}
		if got := check.Outcome(i).String(); got != text {
			t.Errorf("Outcome(%d) is %q, want %q", i, got, text)
		}
	}
}
