package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// The names of the two processes that push.
const (
	first  = "replica-1"
	second = "replica-2"
)

// silence is how long a death may take to be told: Prometheus looks back in
// steps of a minute, and the rest is SilentAfter, the hold, and patience.
const silence = 100 * time.Second

// pushing are the variables of the OpenTelemetry SDK. Its resource attributes
// become the labels job and instance.
func pushing(instance string) []string {
	return []string{
		"OTEL_SERVICE_NAME=" + job,
		"OTEL_RESOURCE_ATTRIBUTES=service.instance.id=" + instance,
		"OTEL_METRIC_EXPORT_INTERVAL=1000",
		"OTEL_METRIC_EXPORT_TIMEOUT=2000",
	}
}

// push is the second act: the consumers push, and nothing is scraped.
func push(p *play) (err error) {
	p.printf("\nPUSH: two consumers push over OTLP to Prometheus' receiver. Nothing is scraped, so there is no `up`.\n")
	s, err := newStage(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.watch(receiveConfig, receiverFlag); err != nil {
		return err
	}
	var replicas []*consumer
	for _, instance := range []string{first, second} {
		c, err := s.start(pushing(instance), "-otlp", s.prometheus.URL+receiverPath)
		if err != nil {
			return err
		}
		replicas = append(replicas, c)
	}
	dies, leaves := replicas[0], replicas[1]
	source := labels{"job": job, "instance": first}
	hangs := source.with("alertname", stale).with("processor", processor).with("severity", "critical")
	return s.run(s.autopsy, []step{{
		"All is well, and nothing is called silent while it lives",
		fmt.Sprintf("That is watched for longer than the %v after which a silence counts.", s.rules.config.SilentAfter),
		func() error {
			return errors.Join(s.calm(s.rules.config.SilentAfter+3*time.Second), s.never(silent))
		},
	}, {
		"The loop of `orders` hangs between two units of work, in one of the replicas",
		"A request to the broker never returns. The loop is not busy, so this is staleness, by the default of 5 s.",
		func() error { return s.wedge(dies, "freeze", hangs) },
	}, {
		"The request returns, and the alert resolves",
		"The series of the old reason stays in Prometheus for minutes, and does not count: the newer one does.",
		func() error { return s.release(dies, hangs) },
	}, {
		"The receiver hangs",
		"Prometheus is stopped with SIGSTOP: connections are taken and never answered. That costs the samples of this\n" +
			"time, and nothing else: no loop and no probe waits for a push.",
		func() error { return s.outage(dies, 6*time.Second) },
	}, {
		"One replica is killed, the other one is asked to end",
		"The last values of both stay in Prometheus for minutes, and look healthy. They are told apart by the last\n" +
			"push: who ends on purpose has no running loop in it. (Up to a minute: Prometheus looks back in steps.)",
		func() error {
			begun := time.Now()
			if err := errors.Join(dies.Signal(os.Kill), leaves.Signal(syscall.SIGTERM)); err != nil {
				return err
			}
			s.printf("  SIGKILL to process %d, %s; SIGTERM to process %d, %s\n", dies.PID(), first, leaves.PID(), second)
			gone := source.with("alertname", silent).with("processor", processor).with("severity", "critical")
			if err := s.alarm(begun, silence, gone); err != nil {
				return err
			}
			return s.told(begun)
		},
	}})
}

// told checks that the death was told of all the processors of the one replica,
// of nothing of the other, and under no other name.
func (s *stage) told(begun time.Time) error {
	for _, id := range []string{"orders", "billing", "audit"} {
		if _, err := s.delivered(begun, "firing", named(silent).with("instance", first).with("processor", id)); err != nil {
			return err
		}
	}
	s.printf("  delivered for orders, billing and audit of %s\n", first)
	looks, err := s.keep(5*time.Second, "no alert on "+second, func() string {
		all, err := s.alerts()
		if err != nil {
			return err.Error()
		}
		for _, a := range all {
			if a.Labels["instance"] == second {
				return describe(all)
			}
		}
		return ""
	})
	if err != nil {
		return err
	}
	s.printf("  nothing for %s, in all of %d looks during 5 s\n", second, looks)
	return s.never(stuck, targetDown)
}
