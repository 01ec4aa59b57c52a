package liveness

import (
	"fmt"
	"testing"

	"github.com/loopvitals/loopvitals/check"
)

// TestReasons fixes the words, their order of precedence and their statuses:
// they are part of the JSON, the metrics and the alerts.
func TestReasons(t *testing.T) {
	want := []struct {
		word   string
		status check.Status
	}{
		{"faulted", check.Unhealthy},
		{"never_started", check.Unhealthy},
		{"stuck", check.Unhealthy},
		{"stale", check.Unhealthy},
		{"observer_late", check.Degraded},
		{"stalled", check.Degraded},
		{"starved", check.Degraded},
		{"lagging", check.Degraded},
		{"unreported", check.Healthy},
		{"running", check.Healthy},
		{"idle", check.Healthy},
		{"busy", check.Healthy},
		{"standby", check.Healthy},
		{"paused", check.Healthy},
		{"stopped", check.Healthy},
	}
	for i := range 256 {
		r := Reason(i)
		word, status := fmt.Sprintf("reason_%d", i), check.Unhealthy
		if i < len(want) {
			word, status = want[i].word, want[i].status
		}
		if r.String() != word || r.status() != status {
			t.Errorf("Reason(%d) = %v %v, want %v %v", i, r, r.status(), word, status)
		}
	}
}

// TestZeroVerdictFailsClosed: a verdict that nobody made is the worst one.
func TestZeroVerdictFailsClosed(t *testing.T) {
	var v Verdict
	if v.Status != check.Unhealthy || v.Reason != Faulted {
		t.Errorf("zero verdict = %v %v", v.Status, v.Reason)
	}
}
