package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// show prints what somebody who is woken gets to read.
func (s *stage) show(d delivery) {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(d.Labels)) {
		pairs = append(pairs, name+"="+d.Labels[name])
	}
	s.printf("  the webhook got:\n    status       %s\n    labels       %s\n", d.Status, strings.Join(pairs, " "))
	for _, name := range []string{"summary", "description", "runbook_url"} {
		s.printf("    %-12s %s\n", name, d.Annotations[name])
	}
}

// describe says in a few words which alerts there are.
func describe(all []promtest.Alert) string {
	var words []string
	for _, a := range all {
		words = append(words, fmt.Sprintf("%s %s", labels(a.Labels), a.State))
	}
	slices.Sort(words)
	if len(words) == 0 {
		return "no alerts"
	}
	return strings.Join(words, "\n            ")
}

// autopsy says how things were when a step failed.
func (s *stage) autopsy() string {
	// The time may be up, and it is worth a look all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 3*time.Second)
	defer cancel()
	var text strings.Builder
	section := func(title, body string) { fmt.Fprintf(&text, "--- %s\n%s\n", title, body) }
	for _, c := range s.consumers {
		_, body, err := c.request(ctx, "GET", readyPath)
		section(fmt.Sprintf("consumer %d, ready (%v)", c.PID(), err), string(body))
		section("its log", lastLines(c.Log()))
	}
	if s.prometheus != nil {
		all, err := s.prometheus.Alerts(ctx)
		section(fmt.Sprintf("alerts in Prometheus (%v)", err), describe(all))
		section("its log", lastLines(s.prometheus.Log()))
	}
	if s.alertmanager != nil {
		section("log of Alertmanager", lastLines(s.alertmanager.Log()))
	}
	var deliveries []string
	for _, d := range s.webhook.all() {
		deliveries = append(deliveries, fmt.Sprintf("%.1f s %s %s", d.at.Sub(s.begun).Seconds(), d.Status, labels(d.Labels)))
	}
	section("deliveries to the webhook", strings.Join(deliveries, "\n"))
	return text.String()
}

// lastLines cuts a log to what fits on a screen.
func lastLines(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
