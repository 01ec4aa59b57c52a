package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// pull is the first act: Prometheus scrapes the consumer.
func pull(p *play) (err error) {
	p.printf("\nPULL: Prometheus scrapes /metrics of the consumer.\n")
	s, err := newStage(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	c, err := s.start(nil)
	if err != nil {
		return err
	}
	if err := s.watch(scrapeConfig(strings.TrimPrefix(c.url, "http://"))); err != nil {
		return err
	}
	target := labels{"job": job, "instance": strings.TrimPrefix(c.url, "http://")}
	hangs := target.with("alertname", stuck).with("processor", processor).with("severity", "critical")
	return s.run(s.autopsy, []step{{
		"All is well, and the watchdog proves that alerts get through",
		"It always fires, so that its absence tells of a broken chain. Nothing else does.",
		func() error { return s.calm(3 * time.Second) },
	}, {
		"A handler of `orders` hangs",
		"It ignores its context. Ready turns 503 once the unit of work has taken longer than its limit of 5 s, and\n" +
			"the same verdict is what Prometheus scrapes.",
		func() error { return s.wedge(c, "wedge", hangs) },
	}, {
		"The handler is released, and the alert resolves",
		"One report of the loop is enough.",
		func() error { return s.release(c, hangs) },
	}, {
		"The process is killed",
		"Its series end with it, and an alert on them would resolve: silence must not be taken for health.",
		func() error {
			begun := time.Now()
			if err := c.Signal(os.Kill); err != nil {
				return err
			}
			s.printf("  SIGKILL to process %d\n", c.PID())
			if err := s.alarm(begun, patience, target.with("alertname", targetDown).with("severity", "critical")); err != nil {
				return err
			}
			if err := s.await(patience, "no alert but "+watchdog+" and "+targetDown, func() string {
				return s.silentBut(watchdog, targetDown)
			}); err != nil {
				return err
			}
			return s.never(stale, silent)
		},
	}})
}

// calm waits until nothing but the watchdog is there, and watches that for as
// long as d.
func (s *stage) calm(d time.Duration) error {
	var alert promtest.Alert
	begun := time.Now()
	if err := s.await(patience, watchdog+" firing in Prometheus", func() string { return s.fires(named(watchdog), &alert) }); err != nil {
		return err
	}
	if _, err := s.delivered(time.Time{}, "firing", named(watchdog)); err != nil {
		return err
	}
	s.took(begun, time.Now(), watchdog+" is firing in Prometheus and delivered to the webhook")
	// What a start looks like from outside, such as a lease that is not held
	// yet, is pending for a moment.
	looks, err := s.settle(d, patience+d, fmt.Sprintf("no alert but %s for %v", watchdog, d), s.quiet)
	if err != nil {
		return err
	}
	s.printf("  no other alert, pending or firing, in all of %d looks during %v\n", looks, d)
	return nil
}

// quiet looks whether the processors are known and no alert is about them.
func (s *stage) quiet() (amiss string) {
	known, err := s.prometheus.Query(s.ctx, `liveness_processor_reason{processor=~"orders|billing|audit"}`)
	switch {
	case err != nil:
		return err.Error()
	case len(known) < 3:
		return "processors of which Prometheus knows nothing"
	}
	return s.silentBut(watchdog)
}
