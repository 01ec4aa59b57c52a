package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// outage freezes Prometheus for as long as d, and looks at the consumer from
// outside meanwhile.
func (s *stage) outage(c *consumer, d time.Duration) (err error) {
	before, err := s.beats(c)
	if err != nil {
		return err
	}
	memory := residentBytes(c.PID())
	if err := s.prometheus.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	begun := time.Now()
	thaw := func() error { return s.prometheus.Signal(syscall.SIGCONT) }
	var slowest time.Duration
	probes, err := s.keep(d, readyPath+" 200", func() string {
		asked := time.Now()
		amiss := s.answers(c, http.StatusOK)
		slowest = max(slowest, time.Since(asked))
		return amiss
	})
	if err != nil {
		_ = thaw()
		return err
	}
	after, err := s.beats(c)
	if err := thaw(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	lasted := time.Since(begun)
	s.printf("  for %.1f s; meanwhile %d probes of %s answered 200, the slowest after %.1f ms\n",
		lasted.Seconds(), probes, readyPath, float64(slowest.Microseconds())/1000)
	for _, id := range []string{"orders", "billing", "audit"} {
		if after[id] <= before[id] {
			return mismatch(id+" goes on beating", fmt.Sprintf("%d beats before, %d after", before[id], after[id]))
		}
		s.printf("  %-8s %d beats, then %d\n", id, before[id], after[id])
	}
	if err := s.bounded(c, memory); err != nil {
		return err
	}
	if err := s.await(patience, "a push from after the outage", func() string { return s.pushedSince(begun.Add(lasted)) }); err != nil {
		return err
	}
	s.took(begun.Add(lasted), time.Now(), "pushes arrive again")
	// What was held up is worked off, and then a push comes every second again.
	if err := s.wait(2 * time.Second); err != nil {
		return err
	}
	return s.await(patience, "no alert but "+watchdog, func() string { return s.silentBut(watchdog) })
}

// beats scrapes the consumer, past the Prometheus that hangs.
func (s *stage) beats(c *consumer) (map[string]uint64, error) {
	_, body, err := c.request(s.ctx, http.MethodGet, "/metrics")
	if err != nil {
		return nil, err
	}
	return parseBeats(string(body)), nil
}

// parseBeats reads the counters of heartbeats out of the text format.
func parseBeats(text string) map[string]uint64 {
	beats := map[string]uint64{}
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, `liveness_processor_heartbeats_total{processor="`)
		if id, value, ok := strings.Cut(rest, `"} `); found && ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			beats[id] = uint64(n)
		}
	}
	return beats
}

// growth is what the memory of a process may vary by: its database and broker
// live in it too. What is queued for ever would pass it in the end; a push is
// dropped instead.
const growth = 64 << 20

func (s *stage) bounded(c *consumer, before int64) error {
	after := residentBytes(c.PID())
	if before == 0 || after == 0 {
		s.printf("  memory: not measured on this system\n")
		return nil
	}
	s.printf("  memory   %d MB, then %d MB\n", before>>20, after>>20)
	if after > before+growth {
		return mismatch(fmt.Sprintf("at most %d MB more", growth>>20), fmt.Sprintf("%d MB more", (after-before)>>20))
	}
	return nil
}

// residentBytes is what a process has in memory, or 0 where that cannot be
// read.
func residentBytes(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if fields := bytes.Fields(text); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}

// pushedSince looks whether both replicas have pushed since then.
func (s *stage) pushedSince(then time.Time) (amiss string) {
	samples, err := s.prometheus.Query(s.ctx, "liveness_board_observed_timestamp_seconds")
	if err != nil {
		return err.Error()
	}
	var instances []string
	for _, sample := range samples {
		if sample.Value > float64(then.UnixNano())/1e9 {
			instances = append(instances, sample.Labels["instance"])
		}
	}
	slices.Sort(instances)
	if !slices.Equal(instances, []string{first, second}) {
		return fmt.Sprintf("pushes of %v", instances)
	}
	return ""
}
