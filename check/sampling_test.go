package check_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

func TestSamplingRefused(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	for _, tt := range []struct {
		name string
		s    check.Sampling
		want string // "" is accepted
	}{
		{"zero", check.Sampling{}, ""},
		{"negative limit", check.Sampling{Limit: -time.Second}, "check: limit -1s: must not be negative"},
		{"negative reuse", check.Sampling{Reuse: -1}, "check: reuse -1ns: must not be negative"},
		{"negative max age", check.Sampling{MaxAge: -1}, "check: max age -1ns: must not be negative"},
		{"negative every", check.Sampling{Every: -1}, "check: every -1ns: must not be negative"},
		{"negative abandon after", check.Sampling{AbandonAfter: -1}, "check: abandon after -1ns: must not be negative"},
		{"least", check.Sampling{Limit: math.MinInt64}, "must not be negative"},
		{"reuse with no reuse", check.Sampling{Reuse: time.Second, NoReuse: true}, "check: reuse 1s: must be 0 with no reuse"},

		{"reuse at max age", check.Sampling{Reuse: 30 * time.Second}, ""},
		{"reuse past max age", check.Sampling{Reuse: 30*time.Second + 1}, "check: reuse 30.000000001s: must be at most the maximum age of 30s"},
		{"limit at max age", check.Sampling{Limit: time.Second, MaxAge: time.Second}, ""},
		{"limit past max age", check.Sampling{Limit: time.Second + 1, MaxAge: time.Second}, "check: limit 1.000000001s: must be at most the maximum age of 1s"},
		{"long limit alone raises the default maximum age", check.Sampling{Limit: time.Minute}, ""},
		{"every at max age", check.Sampling{Every: time.Minute, MaxAge: time.Minute}, ""},
		{"every past max age", check.Sampling{Every: time.Minute + 1, MaxAge: time.Minute}, "check: every 1m0.000000001s: must be at most the maximum age of 1m0s"},
		{"default limit past three intervals", check.Sampling{Every: 266 * ms}, "check: limit 800ms: must be at most the maximum age of 798ms"},
		{"default limit within three intervals", check.Sampling{Every: 267 * ms}, ""},

		{"abandon at ten limits", check.Sampling{AbandonAfter: 8 * time.Second}, ""},
		{"abandon below ten limits", check.Sampling{AbandonAfter: 8*time.Second - 1}, "check: abandon after 7.999999999s: must be at least 10 x the limit of 800ms"},
		{"ten limits overflow", check.Sampling{Limit: forever / 2, AbandonAfter: forever}, "must be at least 10 x the limit"},

		{"three intervals overflow", check.Sampling{Every: forever/3 + 1}, "three times it overflows"},
		{"three intervals just fit", check.Sampling{Every: forever / 3}, ""},
		{"overflow does not matter with a max age", check.Sampling{Every: forever, MaxAge: forever}, ""},
		{"everything at its most", check.Sampling{Limit: forever, Reuse: forever, MaxAge: forever, Every: forever}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := check.NewRunner("db", newDependency(), tt.s)
			if tt.want == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMaxAgeDefaults(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    check.Sampling
		want time.Duration
	}{
		{"on demand", check.Sampling{}, 30 * time.Second},
		{"on demand with a longer limit", check.Sampling{Limit: time.Minute}, time.Minute},
		{"schedule", check.Sampling{Every: 5 * time.Second}, 15 * time.Second},
		{"set", check.Sampling{Every: 5 * time.Second, MaxAge: 7 * time.Second}, 7 * time.Second},
	} {
		if got := newRunner(t, newDependency(), tt.s).MaxAge(); got != tt.want {
			t.Errorf("%s: maximum age %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestNewRunnerRefusesNamesAndCheckers(t *testing.T) {
	ok := newDependency()
	var typedNil *dependency
	for _, tt := range []struct {
		name    string
		checker check.Checker
		want    string
	}{
		{"", ok, "must not be empty"},
		{strings.Repeat("a", 200), ok, ""},
		{strings.Repeat("a", 201), ok, "name of 201 bytes: must be at most 200"},
		{strings.Repeat("é", 100), ok, ""},
		{"sp ace/<b>\"'{}", ok, ""},
		{"\xff", ok, "must be valid UTF-8"},
		{"a\nb", ok, "must not contain U+000A"},
		{"a\u202eb", ok, "must not contain U+202E"},
		{"a\u2028b", ok, "must not contain U+2028"},
		{"nil", nil, "checker nil"},
		{"typed nil", typedNil, "checker nil"},
		{"nil func", check.Func(nil), "checker nil"},
		{"nil ping", check.Ping(nil), "checker nil"},
		{"invalid", check.Invalid(nil), "check: invalid checker"},
	} {
		_, err := check.NewRunner(tt.name, tt.checker, check.Sampling{})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%.20q refused: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%.20q: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestMisuseNeverPanics covers what a program does that ignored the error of
// NewRunner, or has no context at hand.
func TestMisuseNeverPanics(t *testing.T) {
	for name, r := range map[string]*check.Runner{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			if got := r.Check(context.Background()); got.Status != check.Unhealthy || got.Description != "failed" {
				t.Errorf("Check = %+v", got)
			}
			if _, ok := r.Last(); ok {
				t.Error("Last has a sample")
			}
			if err := r.Run(context.Background()); err != check.ErrNoSchedule {
				t.Errorf("Run = %v", err)
			}
			if r.Name() != "" || r.Instant() || r.MaxAge() != 0 || r.Hung() != 0 || r.Events() != (check.Events{}) {
				t.Error("an accessor is not zero")
			}
			if all := checkAll(context.Background(), r); len(all) != 1 || all[0].Result.Status != check.Unhealthy {
				t.Errorf("CheckAll = %+v", all)
			}
		})
	}
	r := newRunner(t, newDependency(), check.Sampling{}, nil, check.WithClock(nil), check.WithLogger(nil), check.WithObserver(nil))
	//lint:ignore SA1012 a nil context is the misuse under test
	if got := r.Check(nil); got.Status != check.Healthy { //nolint:staticcheck // see above
		t.Errorf("a nil context: %+v", got)
	}
}
