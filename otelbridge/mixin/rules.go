package mixin

import (
	"slices"
	"strings"
	"time"
)

// Rules are the groups of rules for one Config, in the order in which they are
// written. They are the caller's to read and to change.
type Rules struct {
	Groups []Group
	// Omitted says, by the name of the alert, why one that is not in
	// Config.Without is left out all the same.
	Omitted map[string]string
}

// Group is a list of rules that are evaluated one after another, at the
// interval of the Prometheus that loads them.
type Group struct {
	Name  string
	Rules []Rule
}

// Rule is an alert or a recording; one of Alert and Record is empty.
type Rule struct {
	Alert  string
	Record string
	// Expr is PromQL, possibly of several lines.
	Expr string
	// For is how long Expr must hold before the alert fires, in whole seconds;
	// zero: fire at once.
	For         time.Duration
	Labels      map[string]string
	Annotations map[string]string
}

// New returns the rules for c, or an error that names the field of c that is
// out of bounds, its value and the bound.
func New(c Config) (*Rules, error) {
	c, err := c.resolve()
	if err != nil {
		return nil, err
	}
	m := &maker{Config: c, prefix: metricName(c.Prefix)}
	if m.selector, err = parseMatchers("Selector", c.Selector); err != nil {
		return nil, err
	}
	more, err := parseMatchers("Targets", c.Targets)
	if err != nil {
		return nil, err
	}
	m.targets = slices.Concat(m.selector, more)

	rules := &Rules{Omitted: map[string]string{}}
	for _, g := range alertGroups {
		group := Group{Name: g.name}
		for _, a := range g.alerts {
			switch {
			case slices.Contains(c.Without, a.name):
			case a.needsJob && jobOf(m.selector) == "":
				rules.Omitted[a.name] = `it needs a selector that names the job, such as job="orders"`
			default:
				group.Rules = append(group.Rules, m.alert(a))
			}
		}
		if len(group.Rules) > 0 {
			rules.Groups = append(rules.Groups, group)
		}
	}
	rules.Groups = append(rules.Groups, m.records())
	return rules, nil
}

// Alerts returns the names of all alerts there are, in the order in which they
// are written.
func Alerts() []string {
	var names []string
	for _, g := range alertGroups {
		for _, a := range g.alerts {
			names = append(names, a.name)
		}
	}
	return names
}

// alertGroups are all alerts there are.
var alertGroups = []struct {
	name   string
	alerts []alert
}{
	{"loopvitals-processors", slices.Concat(verdictAlerts, []alert{silentAlert}, progressAlerts)},
	{"loopvitals-health", healthAlerts},
	{"loopvitals-targets", targetAlerts},
	{"loopvitals-redundancy", redundancyAlerts},
	{"loopvitals-resubscribe", resubscribeAlerts},
	{"loopvitals-watchdog", []alert{watchdogAlert}},
}

// alert is an alert before it is made for a Config.
type alert struct {
	name     string
	expr     string // for maker.expr
	holds    time.Duration
	severity string
	summary  string
	// description is a template of Prometheus. It names everything that
	// whoever is woken needs to find the place. <Field> is a field of Config.
	description string
	needsJob    bool
}

func (m *maker) alert(a alert) Rule {
	holds, severity := a.holds, a.severity
	if d, ok := m.For[a.name]; ok {
		holds = d
	}
	if s, ok := m.Severity[a.name]; ok {
		severity = s
	}
	return Rule{
		Alert:  a.name,
		Expr:   m.expr(a.expr),
		For:    holds,
		Labels: map[string]string{"severity": severity},
		Annotations: map[string]string{
			"summary":     a.summary,
			"description": m.described(a.description),
			"runbook_url": m.RunbookURL + "#" + strings.ToLower(a.name),
		},
	}
}

func (m *maker) described(text string) string {
	return strings.NewReplacer(
		"<CrashWindow>", duration(m.CrashWindow),
		"<FlapWindow>", duration(m.FlapWindow),
		"<LagWindow>", duration(m.LagWindow),
		"<LostWindow>", duration(m.LostWindow),
		"<StalledAfter>", duration(m.StalledAfter),
	).Replace(text)
}
