package mixin_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestConfigBounds takes each field to its bounds and one step past them. The
// error names the field and its value.
func TestConfigBounds(t *testing.T) {
	const day = 24 * time.Hour
	long := strings.Repeat("a", 199) + "."
	for _, c := range []struct {
		name    string
		config  mixin.Config
		refused string // "": accepted
	}{
		{"the zero Config", mixin.Config{}, ""},
		{"a prefix of dots", mixin.Config{Prefix: "a.b-c/d."}, ""},
		{"a prefix of underscores", mixin.Config{Prefix: "otopcua_"}, ""},
		{"the longest prefix", mixin.Config{Prefix: long}, ""},
		{"a longer prefix", mixin.Config{Prefix: "a" + long}, "Prefix of 201 bytes: must be at most 200"},
		{"a prefix that runs on", mixin.Config{Prefix: "otopcua"}, `Prefix "otopcua": must be`},
		{"a prefix that begins with a digit", mixin.Config{Prefix: "1."}, `Prefix "1.": must be`},

		{"the shortest silence", mixin.Config{SilentAfter: 10 * time.Second}, ""},
		{"a shorter silence", mixin.Config{SilentAfter: 9 * time.Second}, "SilentAfter 9s: must be 10s to 24h0m0s"},
		{"a negative silence", mixin.Config{SilentAfter: -time.Second}, "SilentAfter -1s: must be"},
		{"half a second more", mixin.Config{SilentAfter: 10500 * time.Millisecond}, "SilentAfter 10.5s: must be 10s to 24h0m0s in whole seconds"},
		{"the shortest window", mixin.Config{SilentAfter: time.Minute, SilentWindow: 6 * time.Minute}, ""},
		{"a shorter window", mixin.Config{SilentAfter: time.Minute, SilentWindow: 6*time.Minute - time.Second}, "SilentWindow 5m59s: must be 6m0s"},
		{"a silence that the default window does not hold", mixin.Config{SilentAfter: 11 * time.Minute}, "SilentWindow 15m0s: must be 16m0s"},
		{"the longest window", mixin.Config{SilentWindow: day}, ""},
		{"a longer window", mixin.Config{SilentWindow: day + time.Second}, "SilentWindow 24h0m1s: must be"},
		{"the shortest stall", mixin.Config{StalledAfter: time.Minute}, ""},
		{"a shorter stall", mixin.Config{StalledAfter: 59 * time.Second}, "StalledAfter 59s: must be 1m0s"},
		{"the shortest watch on lag", mixin.Config{LagWindow: time.Minute}, ""},
		{"a shorter watch on lag", mixin.Config{LagWindow: 59 * time.Second}, "LagWindow 59s: must be 1m0s"},
		{"the shortest watch on crashes", mixin.Config{CrashWindow: time.Minute}, ""},
		{"a shorter watch on crashes", mixin.Config{CrashWindow: 59 * time.Second}, "CrashWindow 59s: must be 1m0s"},
		{"the least lateness", mixin.Config{ObserverLate: time.Second}, ""},
		{"less lateness", mixin.Config{ObserverLate: time.Millisecond}, "ObserverLate 1ms: must be 1s"},

		{"the shortest watch on levels", mixin.Config{FlapWindow: time.Minute}, ""},
		{"a shorter watch on levels", mixin.Config{FlapWindow: 59 * time.Second}, "FlapWindow 59s: must be 1m0s"},
		{"one change", mixin.Config{FlapChanges: 1}, ""},
		{"the most changes", mixin.Config{FlapChanges: 1000}, ""},
		{"more changes", mixin.Config{FlapChanges: 1001}, "FlapChanges 1001: must be 1 to 1000"},
		{"less than no changes", mixin.Config{FlapChanges: -1}, "FlapChanges -1: must be"},

		{"the shortest watch on requests", mixin.Config{LostWindow: time.Minute}, ""},
		{"a shorter watch on requests", mixin.Config{LostWindow: 59 * time.Second}, "LostWindow 59s: must be 1m0s"},
		{"one request", mixin.Config{LostRequests: 1}, ""},
		{"the most requests", mixin.Config{LostRequests: 1000}, ""},
		{"more requests", mixin.Config{LostRequests: 1001}, "LostRequests 1001: must be 1 to 1000"},
		{"less than no requests", mixin.Config{LostRequests: -1}, "LostRequests -1: must be"},

		{"the most growth", mixin.Config{LagGrowth: 1e12}, ""},
		{"more growth", mixin.Config{LagGrowth: 2e12}, "LagGrowth 2e+12: must be 0 to 1e12"},
		{"less than no growth", mixin.Config{LagGrowth: -1}, "LagGrowth -1: must be"},
		{"a growth that is none", mixin.Config{LagGrowth: math.NaN()}, "LagGrowth NaN: must be"},
		{"one fault", mixin.Config{CrashFaults: 1}, ""},
		{"the most faults", mixin.Config{CrashFaults: 1000}, ""},
		{"more faults", mixin.Config{CrashFaults: 1001}, "CrashFaults 1001: must be 1 to 1000"},
		{"less than no faults", mixin.Config{CrashFaults: -1}, "CrashFaults -1: must be"},

		{"an address", mixin.Config{RunbookURL: "https://example.com/runbooks"}, ""},
		{"a path", mixin.Config{RunbookURL: "/runbooks"}, `RunbookURL "/runbooks": must be`},
		{"another scheme", mixin.Config{RunbookURL: "ftp://example.com/"}, "RunbookURL"},
		{"an address with a fragment", mixin.Config{RunbookURL: "https://example.com/#x"}, "RunbookURL"},
		{"an address with a template", mixin.Config{RunbookURL: "https://example.com/{{ $value }}"}, "RunbookURL"},

		{"a duration of its own", mixin.Config{For: map[string]time.Duration{"HealthTierUnhealthy": 0}}, ""},
		{"a negative duration", mixin.Config{For: map[string]time.Duration{"HealthTierUnhealthy": -time.Second}}, "For HealthTierUnhealthy -1s: must be 0s"},
		{"a duration of nothing", mixin.Config{For: map[string]time.Duration{"HealthTierUnhappy": 0}}, `For "HealthTierUnhappy": must be the name of an alert`},
		{"a severity", mixin.Config{Severity: map[string]string{"HealthTierUnhealthy": "page-1"}}, ""},
		{"no severity", mixin.Config{Severity: map[string]string{"HealthTierUnhealthy": ""}}, `Severity HealthTierUnhealthy "": must be`},
		{"a severity of nothing", mixin.Config{Severity: map[string]string{"x": "y"}}, `Severity "x": must be`},
		{"one alert less", mixin.Config{Without: []string{"LivenessWatchdog"}}, ""},
		{"nothing less", mixin.Config{Without: []string{""}}, `Without "": must be`},
	} {
		_, err := mixin.New(c.config)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.refused != "" && (err == nil || !strings.HasPrefix(err.Error(), "mixin: "+c.refused)):
			t.Errorf("%s: %v, want mixin: %s", c.name, err, c.refused)
		}
	}
}

// TestFieldsReachTheRules changes one field at a time, and looks for it where it
// belongs and for nothing else that has changed.
func TestFieldsReachTheRules(t *testing.T) {
	for _, c := range []struct {
		name   string
		config mixin.Config
		alert  string
		want   string
		others bool // other rules change, too
	}{
		{"SilentAfter", mixin.Config{SilentAfter: 90 * time.Second}, "LivenessProcessorSilent", "> 90\n", true},
		{"SilentAfter, of tiers", mixin.Config{SilentAfter: 40 * time.Second}, "HealthTierUnhealthy", "(timestamp(health_tier_checks)) > 25\n", true},
		{"SilentWindow", mixin.Config{SilentWindow: 90 * time.Minute}, "LivenessProcessorSilent", "[1h30m:1m]", false},
		{"StalledAfter", mixin.Config{StalledAfter: 20 * time.Minute}, "LivenessProcessorStalled", "offset 20m\n", false},
		{"LagWindow", mixin.Config{LagWindow: time.Hour}, "LivenessProcessorLagGrowing", "(deriv(liveness_processor_lag[1h])) > 0\n", false},
		{"LagGrowth", mixin.Config{LagGrowth: 0.5}, "LivenessProcessorLagGrowing", "[15m])) > 0.5\n", false},
		{"CrashWindow", mixin.Config{CrashWindow: time.Hour}, "LivenessProcessorCrashLooping", "faults_total[1h]", false},
		{"CrashFaults", mixin.Config{CrashFaults: 5}, "LivenessProcessorCrashLooping", ">= 5\n", false},
		{"ObserverLate", mixin.Config{ObserverLate: 5 * time.Second}, "LivenessObserverLate", "> 5", false},
		{"SilentAfter, of roles", mixin.Config{SilentAfter: 40 * time.Second}, "RedundancyDualPrimary", "(redundancy_observed_timestamp_seconds offset 25s)\n", true},
		{"FlapWindow", mixin.Config{FlapWindow: time.Hour}, "RedundancyServiceLevelFlapping", "max_over_time(redundancy_service_level_change_total[1h])", false},
		{"FlapWindow, as it is told", mixin.Config{FlapWindow: time.Hour}, "RedundancyServiceLevelFlapping", "times within 1h,", false},
		{"FlapChanges", mixin.Config{FlapChanges: 9}, "RedundancyServiceLevelFlapping", ") > 9\n", false},
		{"LostWindow", mixin.Config{LostWindow: time.Hour}, "ResubscribePresumedLost", "floor(increase(resubscribe_presumed_lost_total[1h]))\n", false},
		{"LostWindow, as it is told", mixin.Config{LostWindow: time.Hour}, "ResubscribePresumedLost", "lost within 1h:", false},
		{"LostRequests", mixin.Config{LostRequests: 9}, "ResubscribePresumedLost", ") > 9\n", false},
		{"Prefix", mixin.Config{Prefix: "a.-b."}, "LivenessObserverLate", "(a_b_liveness_observer_lateness_seconds)", true},
		{"Selector", mixin.Config{Selector: `job="x"`}, "LivenessObserverLate", `_seconds{job="x"})`, true},
		{"Targets", mixin.Config{Selector: `job="x"`, Targets: `role="y"`}, "LivenessTargetDown", `(up{job="x",role="y"}) == 0`, true},
		{"RunbookURL", mixin.Config{RunbookURL: "https://example.com/r"}, "LivenessObserverLate", "https://example.com/r#livenessobserverlate", true},
		{"For", mixin.Config{For: map[string]time.Duration{"LivenessObserverLate": 100 * time.Second}}, "LivenessObserverLate", "1m40s", false},
		{"For zero", mixin.Config{For: map[string]time.Duration{"LivenessObserverLate": 0}}, "LivenessObserverLate", "0s", false},
		{"Severity", mixin.Config{Severity: map[string]string{"LivenessObserverLate": "page"}}, "LivenessObserverLate", "page", false},
	} {
		want, got := alerts(newRules(t, mixin.Config{})), alerts(newRules(t, c.config))
		text := shown(got[c.alert])
		if text == shown(want[c.alert]) || !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, text)
		}
		delete(want, c.alert)
		delete(got, c.alert)
		if diff := cmp.Diff(want, got); diff != "" && !c.others {
			t.Errorf("%s changes other alerts (-want +got):\n%s", c.name, diff)
		}
	}
}

// alerts returns the alerts of rules by name.
func alerts(rules *mixin.Rules) map[string]mixin.Rule {
	all := map[string]mixin.Rule{}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" {
				all[rule.Alert] = rule
			}
		}
	}
	return all
}

// shown is all that a rule says.
func shown(r mixin.Rule) string {
	return strings.Join([]string{
		r.Expr + "\n", r.For.String(), r.Labels["severity"],
		r.Annotations["summary"], r.Annotations["description"], r.Annotations["runbook_url"],
	}, "\n")
}

// TestWithout leaves alerts out, and a group that has none left.
func TestWithout(t *testing.T) {
	rules := newRules(t, mixin.Config{Without: []string{
		"HealthTierUnhealthy", "HealthTierDegraded", "HealthTierUnknown", "HealthCheckFailing", "LivenessWatchdog",
	}})
	got := alerts(rules)
	for _, gone := range []string{"HealthTierUnhealthy", "HealthCheckFailing", "LivenessWatchdog"} {
		if _, there := got[gone]; there {
			t.Errorf("%s is there", gone)
		}
	}
	for _, group := range rules.Groups {
		if len(group.Rules) == 0 || group.Name == "loopvitals-health" {
			t.Errorf("group %s has %d rules", group.Name, len(group.Rules))
		}
	}
}

// TestJobAbsentNeedsAJob leaves the alert out where no matcher names a job, and
// says so.
func TestJobAbsentNeedsAJob(t *testing.T) {
	for selector, want := range map[string]bool{
		``:                         false,
		`job="orders"`:             true,
		`cluster="eu",job='x'`:     true,
		`job=""`:                   false,
		`job=~"orders|billing"`:    false,
		`job!="orders"`:            false,
		`cluster="job=\"orders\""`: false,
	} {
		rules := newRules(t, mixin.Config{Selector: selector})
		_, there := alerts(rules)["LivenessJobAbsent"]
		_, omitted := rules.Omitted["LivenessJobAbsent"]
		if there != want || omitted == want {
			t.Errorf("%s: there %v, omitted %v, want %v", selector, there, omitted, want)
		}
	}
}
