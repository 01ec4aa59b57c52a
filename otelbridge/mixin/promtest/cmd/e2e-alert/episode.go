package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// processor is the loop that things are done to.
const processor = "orders"

// wedge makes a loop hang and follows it to the webhook.
func (s *stage) wedge(c *consumer, knob string, want labels) error {
	begun := time.Now()
	if err := c.turn(s.ctx, knob); err != nil {
		return err
	}
	s.printf("  POST /demo/%s?processor=%s\n", knob, processor)
	if err := s.await(patience, readyPath+" 503", func() string { return s.answers(c, http.StatusServiceUnavailable) }); err != nil {
		return err
	}
	s.took(begun, time.Now(), readyPath+" answers 503")
	return s.alarm(begun, patience, want)
}

// alarm follows an alert from Prometheus to the webhook.
func (s *stage) alarm(begun time.Time, limit time.Duration, want labels) error {
	var alert promtest.Alert
	if err := s.await(limit, want.String()+" firing in Prometheus", func() string { return s.fires(want, &alert) }); err != nil {
		return err
	}
	firing := time.Now()
	d, err := s.delivered(begun, "firing", want)
	if err != nil {
		return err
	}
	s.took(begun, earlier(firing, d.at), want["alertname"]+" is firing in Prometheus")
	s.took(begun, d.at, "the webhook has it")
	s.show(d)
	for name, text := range d.Annotations {
		if text == "" || text != alert.Annotations[name] && name != "description" {
			return mismatch("the same "+name+" as in Prometheus", fmt.Sprintf("%q, there %q", text, alert.Annotations[name]))
		}
	}
	return nil
}

// earlier corrects for looking at Prometheus now and then only: what was posted
// had happened there before.
func earlier(seen, posted time.Time) time.Time {
	if posted.Before(seen) {
		return posted
	}
	return seen
}

// delivered waits for the webhook.
func (s *stage) delivered(from time.Time, status string, want labels) (d delivery, err error) {
	err = s.await(patience, fmt.Sprintf("%s %s posted to the webhook", want, status), func() string {
		var found bool
		if d, found = s.webhook.find(from, status, want); !found {
			return fmt.Sprintf("no such post among %d", len(s.webhook.all()))
		}
		return ""
	})
	return d, err
}

// release frees the loop and follows the alert to its end.
func (s *stage) release(c *consumer, want labels) error {
	begun := time.Now()
	if err := c.turn(s.ctx, "release"); err != nil {
		return err
	}
	s.printf("  POST /demo/release?processor=%s\n", processor)
	if err := s.await(patience, readyPath+" 200", func() string { return s.answers(c, http.StatusOK) }); err != nil {
		return err
	}
	s.took(begun, time.Now(), readyPath+" answers 200")
	if err := s.await(patience, "no alert but "+watchdog+" in Prometheus", func() string { return s.silentBut(watchdog) }); err != nil {
		return err
	}
	gone := time.Now()
	d, err := s.delivered(begun, "resolved", want)
	if err != nil {
		return err
	}
	s.took(begun, earlier(gone, d.at), want["alertname"]+" is gone from Prometheus")
	s.took(begun, d.at, "the webhook was told that it is resolved")
	return nil
}

// never says whether one of these alerts was firing at any time.
func (s *stage) never(names ...string) error {
	for _, name := range names {
		if s.seen[name] {
			return mismatch("no "+name+" at any time", "it was firing")
		}
		if _, found := s.webhook.find(time.Time{}, "firing", named(name)); found {
			return mismatch("no "+name+" at any time", "it was delivered")
		}
		s.printf("  no %s at any time\n", name)
	}
	return nil
}
