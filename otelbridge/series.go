package otelbridge

import (
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// boardAttribute is the name of a board, nothing if it has none.
type boardAttribute []attribute.KeyValue

func boardAttributes(monitors []*liveness.Monitor) []boardAttribute {
	all := make([]boardAttribute, len(monitors))
	for i, m := range monitors {
		if name := m.Board().Name(); name != "" {
			all[i] = boardAttribute{attribute.String(catalogue.KeyBoard, name)}
		}
	}
	return all
}

// labels returns the labels of something on the board.
func (b boardAttribute) labels(attributes ...attribute.KeyValue) labels {
	return newLabels(append(attributes, b...)...)
}

// series holds the attribute sets of one processor.
type series struct {
	board  boardAttribute
	key    string
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

func newSeries(b boardAttribute, key string) *series {
	processor := attribute.String(catalogue.KeyProcessor, key)
	return &series{
		board:  b,
		key:    key,
		self:   b.labels(processor),
		status: statusLabels(func(status attribute.KeyValue) labels { return b.labels(processor, status) }),
	}
}

// reasonOf returns the labels of the processor with a reason.
func (s *series) reasonOf(r liveness.Reason) labels {
	if held := s.reason.Load(); held != nil && held.reason == r {
		return held.labels
	}
	made := &reasonLabels{r, s.board.labels(
		attribute.String(catalogue.KeyProcessor, s.key), attribute.String(catalogue.KeyReason, r.String()),
	)}
	s.reason.Store(made)
	return made.labels
}

// statusLabels makes the labels of each status.
func statusLabels(with func(status attribute.KeyValue) labels) []labels {
	return wordLabels(catalogue.StatusWords[:check.Healthy+1], with)
}

// knownOrNot makes the labels of each status, and of unknown.
func knownOrNot(with func(status attribute.KeyValue) labels) []labels {
	return wordLabels(catalogue.StatusWords[:], with)
}

func wordLabels(words []string, with func(status attribute.KeyValue) labels) []labels {
	each := make([]labels, len(words))
	for i, word := range words {
		each[i] = with(attribute.String(catalogue.KeyStatus, word))
	}
	return each
}
