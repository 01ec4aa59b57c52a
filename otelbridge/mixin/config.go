package mixin

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Config is what rules are made for. The zero Config gives the default rules,
// those of rules.yaml. Every duration is in whole seconds, and at most a day.
type Config struct {
	// Prefix is the value given to otelbridge.WithNamePrefix, such as
	// "otopcua.", or the same in Prometheus' form, "otopcua_" (S4.41, S4.42).
	// Zero: none.
	Prefix string
	// Selector is put into every selector: label matchers of PromQL, such as
	// `job="orders",cluster=~"eu-.+"`. They must be on labels that targets have
	// (or, behind OTLP, resources), not on those of the metrics themselves.
	// Zero: everything. Without a matcher job="…" there is no alert
	// LivenessJobAbsent, since nothing says which job is to be there, and a
	// target counts as expected when its job exported these metrics within a
	// day.
	Selector string
	// Targets are further matchers, for up alone: which targets of the selector
	// have liveness metrics, where a job has others too. Zero: all of them.
	Targets string
	// RunbookURL is where the alerts' entries are: each links to it with its
	// name in lower case as the fragment. Zero: DefaultRunbookURL.
	RunbookURL string

	// SilentAfter is how old the last values of a process may be that pushes
	// them, and how much longer than its threshold a processor may be silent
	// without a verdict that says so. It has to be longer than the interval of
	// scrapes, and twice as long as that of pushes: a tier of which nothing was
	// pushed for five eighths of it pages nobody, and a second primary is seen
	// only where values come more often than that. Zero: 120 s. At least 10 s.
	SilentAfter time.Duration
	// SilentWindow is how long after its last push a process is missed; the
	// alert ends then, since a dead process and one that was removed look the
	// same. Zero: 15 min. At least SilentAfter + 5 min.
	SilentWindow time.Duration
	// StalledAfter is how long a position may stand still while there is lag.
	// Zero: 10 min. At least 1 min.
	StalledAfter time.Duration
	// LagWindow is how long lag is watched to see whether it grows. Zero:
	// 15 min. At least 1 min.
	LagWindow time.Duration
	// LagGrowth is the growth, in events a second, that is put up with. Zero:
	// none.
	LagGrowth float64
	// CrashWindow is how far apart faults may be to count together. Zero:
	// 15 min. At least 1 min.
	CrashWindow time.Duration
	// CrashFaults is how many faults in CrashWindow make a crash loop. Zero: 2.
	// At most 1000.
	CrashFaults int
	// ObserverLate is how late the watching side may be. Zero: 2 s. At least
	// 1 s: from half a second on it is counted at all.
	ObserverLate time.Duration
	// FlapWindow is how long changes of a service level count together. Zero:
	// 15 min. At least 1 min.
	FlapWindow time.Duration
	// FlapChanges is how many changes in FlapWindow are put up with. Zero: 6; a
	// boot makes five. At most 1000.
	FlapChanges int
	// LostWindow is how long lost subscribe requests of one guard count together.
	// A guard loses one at each of its ceilings, so the window has to be longer
	// than LostRequests + 1 of them. Zero: 10 min. At least 1 min.
	LostWindow time.Duration
	// LostRequests is how many lost requests in LostWindow are put up with. Zero:
	// 3. At most 1000.
	LostRequests int

	// For replaces, by the name of the alert, how long its condition must hold;
	// a value of zero fires at once. Nil: the defaults.
	For map[string]time.Duration
	// Severity replaces, by the name of the alert, its label severity. Nil: the
	// defaults, which are critical, warning, info and none.
	Severity map[string]string
	// Without names alerts to leave out.
	Without []string
}

// DefaultRunbookURL is the operations guide of this repository.
const DefaultRunbookURL = "https://github.com/loopvitals/loopvitals/blob/main/docs/operations.md"

// maxPrefixBytes is the bound of otelbridge.WithNamePrefix.
const maxPrefixBytes = 200

// prefixForm is the form that otelbridge.WithNamePrefix accepts.
var prefixForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-/]*[._]$`)

// resolve returns c with its defaults in place, or an error that names the
// first field that is out of bounds.
func (c Config) resolve() (Config, error) {
	switch {
	case len(c.Prefix) > maxPrefixBytes:
		return c, fmt.Errorf("mixin: Prefix of %d bytes: must be at most %d", len(c.Prefix), maxPrefixBytes)
	case c.Prefix != "" && !prefixForm.MatchString(c.Prefix):
		return c, fmt.Errorf("mixin: Prefix %q: must be a letter, then letters, digits and _ . - /, with a dot or an underscore at the end", c.Prefix)
	case !(c.LagGrowth >= 0 && c.LagGrowth <= 1e12): // NaN is neither
		return c, fmt.Errorf("mixin: LagGrowth %v: must be 0 to 1e12 events a second", c.LagGrowth)
	case c.CrashFaults < 0 || c.CrashFaults > 1000:
		return c, fmt.Errorf("mixin: CrashFaults %d: must be 1 to 1000, or 0 for 2", c.CrashFaults)
	case c.FlapChanges < 0 || c.FlapChanges > 1000:
		return c, fmt.Errorf("mixin: FlapChanges %d: must be 1 to 1000, or 0 for 6", c.FlapChanges)
	case c.LostRequests < 0 || c.LostRequests > 1000:
		return c, fmt.Errorf("mixin: LostRequests %d: must be 1 to 1000, or 0 for 3", c.LostRequests)
	}
	c.CrashFaults = cmp.Or(c.CrashFaults, 2)
	c.FlapChanges = cmp.Or(c.FlapChanges, 6)
	c.LostRequests = cmp.Or(c.LostRequests, 3)
	if err := c.resolveURL(); err != nil {
		return c, err
	}
	if err := c.resolveDurations(); err != nil {
		return c, err
	}
	return c, c.checkOverrides()
}

func (c *Config) resolveURL() error {
	if c.RunbookURL == "" {
		c.RunbookURL = DefaultRunbookURL
	}
	u, err := url.Parse(c.RunbookURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" ||
		strings.ContainsAny(c.RunbookURL, "#{}") {
		return fmt.Errorf("mixin: RunbookURL %q: must be an http or https address without a fragment or braces", c.RunbookURL)
	}
	return nil
}

// maxDuration bounds every duration: what is older than a day is history.
const maxDuration = 24 * time.Hour

func (c *Config) resolveDurations() error {
	for _, f := range []struct {
		name           string
		value          *time.Duration
		normally, from time.Duration
	}{
		{"SilentAfter", &c.SilentAfter, 2 * time.Minute, 10 * time.Second},
		{"StalledAfter", &c.StalledAfter, 10 * time.Minute, time.Minute},
		{"LagWindow", &c.LagWindow, 15 * time.Minute, time.Minute},
		{"CrashWindow", &c.CrashWindow, 15 * time.Minute, time.Minute},
		{"ObserverLate", &c.ObserverLate, 2 * time.Second, time.Second},
		{"FlapWindow", &c.FlapWindow, 15 * time.Minute, time.Minute},
		{"LostWindow", &c.LostWindow, 10 * time.Minute, time.Minute},
		{"SilentWindow", &c.SilentWindow, 15 * time.Minute, 0},
	} {
		if *f.value == 0 {
			*f.value = f.normally
		}
		if f.name == "SilentWindow" {
			f.from = c.SilentAfter + 5*time.Minute
		}
		if err := inBounds(f.name, *f.value, f.from); err != nil {
			return err
		}
	}
	return nil
}

func inBounds(field string, d, from time.Duration) error {
	if d < from || d > maxDuration || d%time.Second != 0 {
		return fmt.Errorf("mixin: %s %v: must be %v to %v in whole seconds", field, d, from, maxDuration)
	}
	return nil
}

// severityForm keeps severities usable as a label that people route by.
var severityForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (c *Config) checkOverrides() error {
	for _, alert := range slices.Sorted(maps.Keys(c.For)) {
		if err := known("For", alert); err != nil {
			return err
		}
		if err := inBounds("For "+alert, c.For[alert], 0); err != nil {
			return err
		}
	}
	for _, alert := range slices.Sorted(maps.Keys(c.Severity)) {
		if err := known("Severity", alert); err != nil {
			return err
		}
		if !severityForm.MatchString(c.Severity[alert]) {
			return fmt.Errorf("mixin: Severity %s %q: must be 1 to 64 letters, digits, _ and -", alert, c.Severity[alert])
		}
	}
	for _, alert := range c.Without {
		if err := known("Without", alert); err != nil {
			return err
		}
	}
	return nil
}

func known(field, alert string) error {
	if !slices.Contains(Alerts(), alert) {
		return fmt.Errorf("mixin: %s %q: must be the name of an alert: %s", field, alert, strings.Join(Alerts(), ", "))
	}
	return nil
}
