package catalogue

import "slices"

// Kind is what a metric is in OpenTelemetry. Prometheus knows only counters,
// gauges and histograms, and takes the first three of the others for gauges.
type Kind uint8

// The kinds.
const (
	// State is an UpDownCounter: a gauge of unit 1 would be called a ratio in
	// Prometheus.
	State Kind = iota
	// Gauge holds whole numbers.
	Gauge
	// Seconds is a gauge that holds a duration or a calendar time.
	Seconds
	Counter
	// Histogram holds durations, in the buckets of DurationBounds.
	Histogram
)

// Metric is one row of the catalogue.
type Metric struct {
	Name string // in OpenTelemetry
	Kind Kind
	Unit string   // empty: a value on a scale of its own
	Keys []string // of the attributes, sorted; not to be changed
	Help string
}

// Metric returns the row of a metric.
func (id ID) Metric() Metric { return metrics[id] }

// OfRedundancy tells whether the metric is one of a redundancy.Node.
func (id ID) OfRedundancy() bool { return id >= ServiceLevel && id <= RedundancyObserved }

// OfGuard tells whether the metric is one of a resubscribe.Guard.
func (id ID) OfGuard() bool { return id >= ResubscribeInFlight && id <= ResubscribeBackoff }

// HasBoard tells whether the metric carries the name of the board.
func (m *Metric) HasBoard() bool { return slices.Contains(m.Keys, KeyBoard) }
