package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// job is the name of the consumer's job in Prometheus, on both ways.
const job = "shop"

// shortened is how the rules here differ from those that ship: by parameters
// that every user has.
func shortened() mixin.Config {
	return mixin.Config{
		Selector:    fmt.Sprintf("job=%q", job),
		SilentAfter: 10 * time.Second,
		For: map[string]time.Duration{
			stale:      2 * time.Second,
			targetDown: 3 * time.Second,
			silent:     2 * time.Second,
		},
	}
}

// The alerts that have a part.
const (
	watchdog   = "LivenessWatchdog"
	stuck      = "LivenessProcessorStuck"
	stale      = "LivenessProcessorStale"
	silent     = "LivenessProcessorSilent"
	targetDown = "LivenessTargetDown"
)

// rules are what Prometheus loads.
type rules struct {
	config mixin.Config
	made   *mixin.Rules
	yaml   string
}

func shortRules() (*rules, error) {
	r := &rules{config: shortened()}
	var err error
	if r.made, err = mixin.New(r.config); err != nil {
		return nil, err
	}
	var yaml bytes.Buffer
	err = r.made.WriteYAML(&yaml)
	r.yaml = yaml.String()
	return r, err
}

// tell prints every difference to the rules that ship.
func (r *rules) tell(out io.Writer) error {
	shipped, err := mixin.New(mixin.Config{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `
Rules: all %d alerts of package mixin. Shortened for this run, by the package's own parameters:
  Selector                           %s
  SilentAfter                        %v, shipped 2m0s
`, alerts(r.made), r.config.Selector, r.config.SilentAfter)
	for _, name := range slices.Sorted(maps.Keys(r.config.For)) {
		fmt.Fprintf(out, "  For[%s]%*s%v, shipped %v\n", name, 30-len(name), "", r.config.For[name], holdOf(shipped, name))
	}
	fmt.Fprintf(out, "Prometheus scrapes, evaluates and is pushed to every second; Alertmanager waits for no group.\n")
	return nil
}

// alerts counts them.
func alerts(r *mixin.Rules) (n int) {
	for _, group := range r.Groups {
		for _, rule := range group.Rules {
			if rule.Alert != "" {
				n++
			}
		}
	}
	return n
}

// holdOf is how long the condition of an alert must hold.
func holdOf(r *mixin.Rules, alert string) time.Duration {
	for _, group := range r.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == alert {
				return rule.For
			}
		}
	}
	return 0
}
