package adapter

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// Usage is what this process uses, and what the adapter has done, beside the
// ceilings that it keeps (S2.18). A number that the system does not tell is -1.
type Usage struct {
	RSS     int64         // resident bytes of this process
	PeakRSS int64         // the most that it ever had
	CPU     time.Duration // of this process since its start, without its children

	Goroutines  int // of this process; those of the adapter are at most Ceilings.Goroutines
	Threads     int // of this process
	Descriptors int // open in this process
	Children    int // commands running now: 0 or 1

	Samples uint64 // that have ended
	Failed  uint64 // of these, those that brought no document of the node, or an old one

	Connections  uint64 // accepted
	Answered     uint64 // with any code
	ForeignPeers uint64 // closed at once: they may not connect (A1)
	Evicted      uint64 // closed without an answer: a newcomer needed the place
	Expired      uint64 // closed without an answer: their head took too long

	Ceilings Ceilings
}

// Ceilings are the bounds that hold by construction, except for RSS, which
// whoever deploys the adapter enforces.
type Ceilings struct {
	RSS           int64         // bytes: what a limit on memory should allow
	Goroutines    int           // of the adapter
	Children      int           // at once
	Connections   int           // with a head being read
	Backlog       int           // of the listener
	Head          int           // bytes of a request
	Output        int           // bytes of one sample
	Timeout       time.Duration // of one sample
	Pause         time.Duration // between two samples: at least
	MaximumAge    time.Duration // of what is answered
	ReadDeadline  time.Duration // of a request
	WriteDeadline time.Duration // of a reply
}

// meter counts what the sampler does.
type meter struct {
	running atomic.Bool
	samples atomic.Uint64
	failed  atomic.Uint64
}

func (m *meter) count(result assessment) {
	m.samples.Add(1)
	switch result.lacks {
	case lacksCommand, lacksDocument, lacksIdentity, lacksFreshness:
		m.failed.Add(1)
	}
}

// Usage measures. Any goroutine may call it; it reads a few files of /proc where
// there are some.
func (a *Adapter) Usage() Usage {
	if !a.made() {
		return Usage{}
	}
	u := Usage{
		RSS: -1, PeakRSS: -1, CPU: -1, Threads: -1, Descriptors: -1,
		Goroutines: runtime.NumGoroutine(),
		Samples:    a.usage.samples.Load(),
		Failed:     a.usage.failed.Load(),
		Ceilings:   a.config.ceilings(),
	}
	if a.usage.running.Load() {
		u.Children = 1
	}
	served := a.server.Counters()
	u.Connections, u.ForeignPeers = served.Accepted, served.ForeignPeers
	u.Evicted, u.Expired = served.Evicted, served.Expired
	for _, n := range served.Answered {
		u.Answered += n
	}
	u.measure()
	return u
}

func (c Config) ceilings() Ceilings {
	return Ceilings{
		RSS: 16 << 20, Goroutines: 2, Children: 1,
		Connections: 8, Backlog: 2, Head: head.MaxBytes, Output: observation.MaxBytes,
		Timeout: c.Timeout, Pause: c.Pause, MaximumAge: c.MaximumAge,
		ReadDeadline: 500 * time.Millisecond, WriteDeadline: 500 * time.Millisecond,
	}
}
