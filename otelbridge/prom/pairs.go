package prom

import (
	"slices"
	"sync/atomic"

	dto "github.com/prometheus/client_model/go"

	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
	"github.com/loopvitals/loopvitals/tiers"
)

func pair(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }

// statusPairs are the labels status, by index of catalogue.StatusWords.
var statusPairs = func() (pairs [len(catalogue.StatusWords)]*dto.LabelPair) {
	for i, word := range catalogue.StatusWords {
		pairs[i] = pair(catalogue.KeyStatus, word)
	}
	return pairs
}()

// processorPairs are the label sets of one processor, each sorted by name.
type processorPairs struct {
	self   []*dto.LabelPair
	status [processorStatuses][]*dto.LabelPair // by check.Status
	// reason is the newest one's. Two scrapes that replace it at once do no
	// harm: each uses its own.
	reason atomic.Pointer[reasonPairs]
}

type reasonPairs struct {
	reason liveness.Reason
	labels []*dto.LabelPair
}

// newProcessorPairs makes them for a key on a board, whose own labels are none or
// its name.
func newProcessorPairs(board []*dto.LabelPair, key string) *processorPairs {
	p := &processorPairs{self: with(board, pair(catalogue.KeyProcessor, key))}
	for status := range p.status {
		p.status[status] = with(p.self, statusPairs[status])
	}
	return p
}

func (p *processorPairs) reasonOf(r liveness.Reason) []*dto.LabelPair {
	if held := p.reason.Load(); held != nil && held.reason == r {
		return held.labels
	}
	made := &reasonPairs{r, with(p.self, pair(catalogue.KeyReason, r.String()))}
	p.reason.Store(made)
	return made.labels
}

// boardPairs are the label sets of one board.
type boardPairs struct {
	self   []*dto.LabelPair
	status [processorStatuses][]*dto.LabelPair // by check.Status
	events [len(events)][]*dto.LabelPair
}

// newBoardPairs makes them for each board. Once one board has a name they all
// have the label, since a registry wants the same labels for all series of a
// metric; an empty one is to Prometheus the same as none.
func newBoardPairs(boards boardNames) []boardPairs {
	all := make([]boardPairs, len(boards.names))
	for i, name := range boards.names {
		b := &all[i]
		if boards.any {
			b.self = []*dto.LabelPair{pair(catalogue.KeyBoard, name)}
		}
		for status := range b.status {
			b.status[status] = with(b.self, statusPairs[status])
		}
		for n, e := range events {
			b.events[n] = with(b.self, pair(catalogue.KeyKind, e.kind))
		}
	}
	return all
}

// checkPairs are the label sets of one check.
type checkPairs struct {
	self  []*dto.LabelPair
	tiers [][len(statuses)][]*dto.LabelPair // by its tiers, then by index of catalogue.StatusWords
}

func newCheckPairs(c *tiers.CheckState) *checkPairs {
	p := &checkPairs{self: []*dto.LabelPair{pair(catalogue.KeyCheck, c.Name)}}
	for _, t := range c.Tiers {
		var each [len(statuses)][]*dto.LabelPair
		for status := range each {
			each[status] = with(p.self, statusPairs[status], pair(catalogue.KeyTier, string(t)))
		}
		p.tiers = append(p.tiers, each)
	}
	return p
}

// seriesPairs are the label sets of one series of a redundancy node.
func seriesPairs(s reading.SeriesID) []*dto.LabelPair {
	var pairs []*dto.LabelPair
	for i, key := range s.ID.Metric().Keys {
		pairs = append(pairs, pair(key, s.Values[i]))
	}
	return pairs
}

// guardPairs are the label set of all series of one guard.
func guardPairs(key string) []*dto.LabelPair {
	return []*dto.LabelPair{pair(catalogue.KeyGuard, key)}
}

// with returns the labels and more, in memory of their own.
func with(labels []*dto.LabelPair, more ...*dto.LabelPair) []*dto.LabelPair {
	return slices.Concat(labels, more)
}
