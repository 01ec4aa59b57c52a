package catalogue

import (
	"slices"
	"strings"
	"testing"
)

// TestRows holds every row to its form: complete, named once in each world, and
// with a help text that no format has to escape.
func TestRows(t *testing.T) {
	names, exposed := map[string]bool{}, map[string]bool{}
	for id := range Count {
		m := id.Metric()
		if names[m.Name] || exposed[m.Prometheus("")] {
			t.Errorf("%s: named twice", m.Name)
		}
		names[m.Name], exposed[m.Prometheus("")] = true, true
		if !strings.HasPrefix(m.Name, "liveness.") && !strings.HasPrefix(m.Name, "health.") && !id.OfRedundancy() && !id.OfGuard() {
			t.Errorf("metric %d is named %q", id, m.Name)
		}
		if id.OfGuard() != strings.HasPrefix(m.Name, "resubscribe.") {
			t.Errorf("%s: of a guard: %v", m.Name, id.OfGuard())
		}
		if id.OfRedundancy() != strings.HasPrefix(m.Name, "redundancy.") {
			t.Errorf("%s: of redundancy: %v", m.Name, id.OfRedundancy())
		}
		if !strings.HasSuffix(m.Help, ".") || strings.ContainsAny(m.Help, "\"\\\n") {
			t.Errorf("%s: help %q: must be a sentence without quotes, backslashes and lines", m.Name, m.Help)
		}
		if seconds := m.Kind == Seconds || m.Kind == Histogram; m.Unit == "" && id != ServiceLevel || seconds != (m.Unit == "s") {
			t.Errorf("%s: unit %q for kind %d", m.Name, m.Unit, m.Kind)
		}
		if !slices.IsSorted(m.Keys) {
			t.Errorf("%s: keys %v: must be sorted", m.Name, m.Keys)
		}
	}
}

// TestPrometheus shows what a prefix does to a name. That the exporter makes the
// same is a test of the package prom.
func TestPrometheus(t *testing.T) {
	for _, c := range []struct {
		prefix string
		id     ID
		want   string
	}{
		{"", ProcessorStatus, "liveness_processor_status"},
		{"", ProcessorHeartbeatAge, "liveness_processor_heartbeat_age_seconds"},
		{"", ProcessorFaults, "liveness_processor_faults_total"},
		{"otopcua.", ProcessorFaults, "otopcua_liveness_processor_faults_total"},
		{"", ServiceLevel, "redundancy_service_level"},
		{"", SnapshotAge, "redundancy_snapshot_age_seconds"},
		{"otopcua.", ServiceLevelChange, "otopcua_redundancy_service_level_change_total"},
		{"otopcua.", PrimaryGateDenied, "otopcua_redundancy_primary_gate_denied_total"},
		{"", ResubscribeInFlight, "resubscribe_in_flight"},
		{"", ResubscribePresumedLost, "resubscribe_presumed_lost_total"},
		{"otopcua.", ResubscribeOldestAge, "otopcua_resubscribe_oldest_age_seconds"},
		{"a__b-/.", ProcessorLag, "a_b_liveness_processor_lag"},
		{"total.", ProcessorFaults, "liveness_processor_faults_total"},
		{"total.", ProcessorLag, "total_liveness_processor_lag"},
		{"seconds.", ProcessorBusyAge, "seconds_liveness_processor_busy_age"},
	} {
		m := c.id.Metric()
		if got := m.Prometheus(c.prefix); got != c.want {
			t.Errorf("%s behind %q is %s, want %s", m.Name, c.prefix, got, c.want)
		}
	}
}
