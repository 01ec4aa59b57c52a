package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// rulesFlags are the flags of the verb rules.
type rulesFlags struct {
	config   mixin.Config
	manifest mixin.Manifest
	format   string
}

// The formats of -format.
const (
	formatRules    = "rules"
	formatManifest = "prometheusrule"
)

// runRules prints rules. Nothing is printed unless all of it can be.
func runRules(args []string, stdout, stderr io.Writer) (exit int) {
	var f rulesFlags
	rest, done, exit := parse(f.flagSet(), rulesAbout, args, stdout, stderr)
	if done {
		return exit
	}
	if err := f.print(rest, stdout, stderr); err != nil {
		return fail(stderr, "rules", err, exitUsage)
	}
	return exitOK
}

const rulesAbout = `usage: loopvitals rules [flags]

Prints alert and recording rules for the metrics of loopvitals. Zero is the default
of each threshold; docs/operations.md has an entry for each alert.

`

func (f *rulesFlags) flagSet() *flag.FlagSet {
	set := flag.NewFlagSet("loopvitals rules", flag.ContinueOnError)
	c := &f.config
	set.StringVar(&f.format, "format", formatRules, "`rules` for a rule file, prometheusrule for a manifest for Kubernetes")
	set.StringVar(&c.Prefix, "prefix", "", "the `prefix` of the metrics' names, as given to WithNamePrefix")
	set.StringVar(&c.Selector, "selector", "", "label `matchers` put into every selector, such as job=\"orders\"")
	set.StringVar(&c.Targets, "targets", "", "further `matchers` for up: which targets have these metrics")
	set.StringVar(&c.RunbookURL, "runbook-url", "", "`address` of the alerts' entries (default "+mixin.DefaultRunbookURL+")")

	set.DurationVar(&c.SilentAfter, "silent-after", 0, "how old the last values may be (2m)")
	set.DurationVar(&c.SilentWindow, "silent-window", 0, "how long a process that pushed is missed (15m)")
	set.DurationVar(&c.StalledAfter, "stalled-after", 0, "how long a position may stand still with lag (10m)")
	set.DurationVar(&c.LagWindow, "lag-window", 0, "how long lag is watched to see it grow (15m)")
	set.Float64Var(&c.LagGrowth, "lag-growth", 0, "growth of lag that is put up with, in `events` a second")
	set.DurationVar(&c.CrashWindow, "crash-window", 0, "how far apart faults may be to count together (15m)")
	set.IntVar(&c.CrashFaults, "crash-faults", 0, "how many `faults` make a crash loop (2)")
	set.DurationVar(&c.ObserverLate, "observer-late", 0, "how late the watching side may be (2s)")
	set.DurationVar(&c.FlapWindow, "flap-window", 0, "how long changes of a service level count together (15m)")
	set.IntVar(&c.FlapChanges, "flap-changes", 0, "how many `changes` of a service level are put up with (6)")
	set.DurationVar(&c.LostWindow, "lost-window", 0, "how long lost subscribe requests count together (10m)")
	set.IntVar(&c.LostRequests, "lost-requests", 0, "how many lost `requests` of a guard are put up with (3)")

	set.Var(pairs(func(alert, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("duration %q: must be such as 90s or 5m", value)
		}
		put(&c.For, alert, d)
		return nil
	}), "for", "`alert=duration` that its condition must hold; may be repeated")
	set.Var(pairs(func(alert, value string) error {
		put(&c.Severity, alert, value)
		return nil
	}), "severity", "`alert=severity` to label it with; may be repeated")
	set.Func("without", "`alert` to leave out; may be repeated", func(alert string) error {
		c.Without = append(c.Without, alert)
		return nil
	})

	set.StringVar(&f.manifest.Name, "name", "", "`name` of the manifest's object (default loopvitals)")
	set.StringVar(&f.manifest.Namespace, "namespace", "", "`namespace` of the manifest's object")
	set.Var(pairs(func(key, value string) error {
		put(&f.manifest.Labels, key, value)
		return nil
	}), "label", "`key=value` label of the manifest's object; may be repeated")
	return set
}

func (f *rulesFlags) print(rest []string, stdout, stderr io.Writer) error {
	if len(rest) > 0 {
		return fmt.Errorf("argument %q: must be a flag", rest[0])
	}
	rules, err := mixin.New(f.config)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	switch f.format {
	case formatRules:
		if m := f.manifest; m.Name != "" || m.Namespace != "" || m.Labels != nil {
			return fmt.Errorf("name, namespace and label: must go with -format %s", formatManifest)
		}
		err = rules.WriteYAML(&text)
	case formatManifest:
		err = rules.WriteManifest(&text, f.manifest)
	default:
		err = fmt.Errorf("format %q: must be %s or %s", f.format, formatRules, formatManifest)
	}
	if err != nil {
		return err
	}
	for _, alert := range slices.Sorted(maps.Keys(rules.Omitted)) {
		fmt.Fprintf(stderr, "loopvitals rules: %s is left out: %s\n", alert, rules.Omitted[alert])
	}
	_, err = stdout.Write(text.Bytes())
	return err
}

// put sets a key of a map that may be nil.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// pairs is a flag that may be repeated, each time with a key and a value.
type pairs func(key, value string) error

func (pairs) String() string { return "" }

// Set takes in one key=value.
func (p pairs) Set(text string) error {
	key, value, found := strings.Cut(text, "=")
	if !found || key == "" {
		return fmt.Errorf("%q: must be a key, =, and a value", text)
	}
	return p(key, value)
}
