package otelbridge

import (
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// source is one monitor with what was prepared for its processors.
type source struct {
	monitor *liveness.Monitor
	board   []attribute.KeyValue // the board's name, if it has one
	series  cache[series]
}

func newSource(m *liveness.Monitor) *source {
	s := &source{monitor: m}
	if name := m.Board().Name(); name != "" {
		s.board = []attribute.KeyValue{attribute.String("board", name)}
	}
	return s
}

// labels returns the labels of something on the board.
func (s *source) labels(attributes ...attribute.KeyValue) labels {
	return newLabels(append(attributes, s.board...)...)
}

// series holds the attribute sets of one processor.
type series struct {
	self   labels
	status []labels // by check.Status
	// reason is the newest one's. Two readers that replace it at once do no
	// harm: each uses its own.
	reason atomic.Pointer[reasonLabels]
}

type reasonLabels struct {
	reason liveness.Reason
	labels labels
}

func (s *source) newSeries(key string) *series {
	processor := attribute.String("processor", key)
	return &series{
		self:   s.labels(processor),
		status: statusLabels(func(status attribute.KeyValue) labels { return s.labels(processor, status) }),
	}
}

// reasonOf returns the labels of a processor with a reason.
func (s *source) reasonOf(x *series, key string, r liveness.Reason) labels {
	if held := x.reason.Load(); held != nil && held.reason == r {
		return held.labels
	}
	made := &reasonLabels{r, s.labels(attribute.String("processor", key), attribute.String("reason", r.String()))}
	x.reason.Store(made)
	return made.labels
}

// statusWords are the values of the attribute status, by check.Status; the one
// after the last status is that of what is not known.
var statusWords = [...]string{check.Unhealthy: "unhealthy", check.Degraded: "degraded", check.Healthy: "healthy", unknown: "unknown"}

const unknown = check.Healthy + 1

// statusLabels makes the labels of each status.
func statusLabels(with func(status attribute.KeyValue) labels) []labels {
	each := make([]labels, unknown)
	for status := range each {
		each[status] = with(attribute.String("status", statusWords[status]))
	}
	return each
}

// pass holds what one collection reads before it tells anything.
type pass struct {
	at   time.Time // of the reading, for people
	rows [][]row   // by source
}

// row is one processor.
type row struct {
	facts
	series *series
	reason labels
}

// read appends one row for each processor: what the board shows, and the
// verdict on just that.
func (s *source) read(rows []row) []row {
	w, build := s.series.walk(), s.newSeries
	for o, v := range s.monitor.All() {
		x := w.find(o.Key, build)
		rows = append(rows, row{
			facts:  factsOf(&o, &v, s.monitor.PolicyFor(o.Key)),
			series: x,
			reason: s.reasonOf(x, o.Key, v.Reason),
		})
	}
	w.end()
	return rows
}
