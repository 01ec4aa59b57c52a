package prom

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// An Exporter shows its sources to Prometheus until it is closed: as a
// prometheus.Collector of a registry, or as an http.Handler of its own. Its
// methods may be called by any goroutine, and do nothing on a nil Exporter.
type Exporter struct {
	families  []*family  // those that the sources can have, in the order of their names
	collector *collector // reads for a registry
	text      *text      // reads for the handler
	durations *durations // nil: no tiers

	closed atomic.Bool
	stop   func()
}

// New returns an Exporter of src. It starts no goroutine and registers nothing:
// register it with a client_golang registry, or mount it.
//
// It refuses what otelbridge.New refuses: nothing to export, a nil monitor or
// guard, and what the labels could not tell apart, two boards of one name or two
// without any, and two guards of one key. Use one Exporter for one registry: a second one with metrics of the same
// names is an error of Register.
func New(src otelbridge.Sources, opts ...Option) (*Exporter, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	read := reading.Sources(src)
	if err := read.Validate(); err != nil {
		return nil, fmt.Errorf("prom: %w", err)
	}
	read.Monitors = slices.SortedStableFunc(slices.Values(src.Monitors), func(a, b *liveness.Monitor) int {
		return strings.Compare(a.Board().Name(), b.Board().Name())
	})
	boards := newBoardNames(read.Monitors)
	e := &Exporter{families: newFamilies(c.prefix, src, boards.any), stop: func() {}}
	if src.Tiers != nil {
		e.durations = new(durations)
		e.stop = src.Tiers.Observe(e.durations.record)
	}
	e.collector = newCollector(read, c.clock, boards)
	e.text = newText(read, c.clock, boards)
	return e, nil
}

// Close ends the export: a registry gathers no series of the Exporter any more,
// and its handler answers with an empty body. Scrapes in progress end as they
// began. It never fails, and may be called twice, and on nil.
func (e *Exporter) Close() error {
	if !e.open() {
		return nil
	}
	if !e.closed.Swap(true) {
		e.stop()
	}
	return nil
}

// open tells whether there is anything to export. The zero Exporter has nothing.
func (e *Exporter) open() bool { return e != nil && e.text != nil && !e.closed.Load() }

// boardNames are the names of the boards by monitor.
type boardNames struct {
	names []string
	any   bool // one of the boards has a name
}

func newBoardNames(monitors []*liveness.Monitor) boardNames {
	var b boardNames
	for _, m := range monitors {
		name := m.Board().Name()
		b.names = append(b.names, name)
		b.any = b.any || name != ""
	}
	return b
}
