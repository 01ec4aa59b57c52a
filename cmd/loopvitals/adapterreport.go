package main

import (
	"log/slog"
	"os"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter"
)

// reportEvery is how often the adapter tells what it uses.
const reportEvery = time.Minute

// report logs what the adapter is and uses (S2.18).
type report struct {
	logger *slog.Logger
	lines  *queue
	start  time.Time
}

func (r report) started(a *adapter.Adapter) {
	r.logger.Info("listening", "address", a.Addr().String(), "pid", os.Getpid())
	r.resources(a)
}

// resources logs what is used beside what may be.
func (r report) resources(a *adapter.Adapter) {
	u := a.Usage()
	c := u.Ceilings
	r.logger.Info("resources",
		"uptimeMs", time.Since(r.start).Milliseconds(),
		"rssBytes", u.RSS, "peakRSSBytes", u.PeakRSS, "cpuMs", u.CPU.Milliseconds(),
		"processGoroutines", u.Goroutines, "threads", u.Threads, "descriptors", u.Descriptors,
		"children", u.Children, "samples", u.Samples, "failed", u.Failed,
		"connections", u.Connections, "answered", u.Answered, "foreignPeers", u.ForeignPeers,
		"evicted", u.Evicted, "expired", u.Expired, "linesDropped", r.lines.dropped.Load(),
		slog.Group("ceilings",
			"rssBytes", c.RSS, "goroutines", c.Goroutines, "children", c.Children,
			"connections", c.Connections, "backlog", c.Backlog, "headBytes", c.Head, "outputBytes", c.Output,
			"timeoutMs", c.Timeout.Milliseconds(), "pauseMs", c.Pause.Milliseconds(),
			"maximumAgeMs", c.MaximumAge.Milliseconds(),
			"readMs", c.ReadDeadline.Milliseconds(), "writeMs", c.WriteDeadline.Milliseconds(),
		),
	)
}
