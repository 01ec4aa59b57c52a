package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// stage is what runs during an act: a Prometheus, an Alertmanager, the webhook
// and the consumers.
type stage struct {
	*play
	prometheus   *promtest.Prometheus
	alertmanager *promtest.Alertmanager
	webhook      *webhook
	consumers    []*consumer
	// seen are alerts besides the watchdog that were firing at any time, since
	// what must not fire must not have fired.
	seen map[string]bool
}

// newStage starts the webhook and the Alertmanager that posts to it.
func newStage(p *play) (_ *stage, err error) {
	s := &stage{play: p, seen: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if s.webhook, err = startWebhook(); err != nil {
		return nil, err
	}
	s.alertmanager, err = promtest.StartAlertmanager(p.ctx, alertmanagerConfig(s.webhook.url()))
	return s, err
}

// watch starts the Prometheus, with the rules.
func (s *stage) watch(more string, flags ...string) (err error) {
	s.prometheus, err = promtest.StartPrometheus(s.ctx, promtest.PrometheusSetup{
		Config: prometheusConfig(strings.TrimPrefix(s.alertmanager.URL, "http://")) + more,
		Rules:  s.rules.yaml,
		Flags:  append([]string{resendFlag}, flags...),
	})
	return err
}

// start starts a consumer.
func (s *stage) start(variables []string, args ...string) (*consumer, error) {
	c, err := startConsumer(s.ctx, s.consumer, variables, args...)
	if err != nil {
		return nil, err
	}
	s.consumers = append(s.consumers, c)
	return c, nil
}

// stop ends everything, in the reverse order.
func (s *stage) stop() error {
	var errs []error
	for _, c := range s.consumers {
		errs = append(errs, c.Stop())
	}
	if s.prometheus != nil {
		errs = append(errs, s.prometheus.Stop())
	}
	if s.alertmanager != nil {
		errs = append(errs, s.alertmanager.Stop())
	}
	if s.webhook != nil {
		errs = append(errs, s.webhook.stop())
	}
	return errors.Join(errs...)
}

// alerts asks Prometheus, and notes what fires.
func (s *stage) alerts() ([]promtest.Alert, error) {
	all, err := s.prometheus.Alerts(s.ctx)
	for _, a := range all {
		if a.State == "firing" {
			s.seen[a.Labels["alertname"]] = true
		}
	}
	return all, err
}

// fires looks whether an alert fires, and fills in which.
func (s *stage) fires(want labels, found *promtest.Alert) (amiss string) {
	all, err := s.alerts()
	if err != nil {
		return err.Error()
	}
	for _, a := range all {
		if a.State == "firing" && want.in(a.Labels) {
			*found = a
			return ""
		}
	}
	return describe(all)
}

// silentBut looks whether no alert is there but these.
func (s *stage) silentBut(names ...string) (amiss string) {
	all, err := s.alerts()
	if err != nil {
		return err.Error()
	}
	if slices.ContainsFunc(all, func(a promtest.Alert) bool { return !slices.Contains(names, a.Labels["alertname"]) }) {
		return describe(all)
	}
	return ""
}

// answers looks at the status of ready.
func (s *stage) answers(c *consumer, code int) (amiss string) {
	got, _, err := c.request(s.ctx, http.MethodGet, readyPath)
	switch {
	case err != nil:
		return err.Error()
	case got != code:
		return fmt.Sprintf("GET %s -> %d", readyPath, got)
	}
	return ""
}

const readyPath = "/health/ready"

// took prints a line of the table of times.
func (s *stage) took(since time.Time, at time.Time, what string) {
	s.printf("  %5.1f s  %s\n", at.Sub(since).Seconds(), what)
}
