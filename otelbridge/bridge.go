package otelbridge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel/metric"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// scope names the meter. It ends up in the label otel_scope_name.
const scope = "github.com/loopvitals/loopvitals/otelbridge"

// A Bridge exports its sources through one meter provider until it is closed.
// Its methods may be called by any goroutine.
type Bridge struct {
	reader     *reading.Reader[*series, *checkLabels, labels]
	processors *processors // nil: no monitors
	boards     *boards     // nil: no monitors
	health     *health     // nil: no tiers
	node       *numbers    // nil: no node
	guards     *numbers    // nil: no guards
	limit      *limit

	close func() error
}

// What is read at each collection, with the attribute sets that were prepared.
type (
	pass = reading.Pass[*series, *checkLabels, labels]
	row  = reading.Row[*series]
)

// New returns a Bridge that exports src through mp. It creates the instruments
// and registers one callback, which the provider's readers call when they
// collect; it starts no goroutine.
//
// It refuses a nil provider, nothing to export, a nil monitor or guard, and what
// the attributes could not tell apart: two boards of one name, or two without any,
// and two guards of one key. Use one Bridge for one provider: two that export the
// same processors would each add their values to the same series.
func New(mp metric.MeterProvider, src Sources, opts ...Option) (*Bridge, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if isNil(mp) {
		return nil, errors.New("otelbridge: meter provider nil: must not be nil")
	}
	read, err := src.read()
	if err != nil {
		return nil, err
	}
	attributes := boardAttributes(src.Monitors)
	b := &Bridge{reader: reading.New(read, c.clock, reading.Prepare[*series, *checkLabels, labels]{
		Processor: func(monitor int, key string) *series { return newSeries(attributes[monitor], key) },
		Check:     newCheckLabels,
		Series:    seriesLabels,
		Guard:     guardLabels,
	})}
	in := &instruments{meter: mp.Meter(scope), prefix: c.prefix}
	if len(src.Monitors) > 0 {
		b.processors = newProcessors(in)
		b.boards = newBoards(in, attributes)
	}
	if src.Tiers != nil {
		b.health = newHealth(in)
	}
	if src.Redundancy != nil {
		b.node = newNumbers(in, catalogue.ID.OfRedundancy)
	}
	if len(src.Guards) > 0 {
		b.guards = newNumbers(in, catalogue.ID.OfGuard)
	}
	b.limit = newLimit(in, c.limit)
	if err := in.err(); err != nil {
		return nil, err
	}
	registration, err := in.meter.RegisterCallback(b.collect, in.observables...)
	if err != nil {
		return nil, fmt.Errorf("otelbridge: register callback: %w", err)
	}
	stop := func() {}
	if src.Tiers != nil {
		stop = src.Tiers.Observe(b.health.record)
	}
	b.close = sync.OnceValue(func() error {
		stop()
		return registration.Unregister()
	})
	return b, nil
}

// Close ends the export: no later collection has a series of the Bridge, save
// those of the durations, which a provider keeps for as long as it lives. It
// waits for a collection in progress where the provider does. It may be called
// twice, and on nil.
func (b *Bridge) Close() error {
	if b == nil || b.close == nil {
		return nil
	}
	return b.close()
}

// collect is called by each of the provider's readers, also at the same time.
// First everything is read, so that the values of one collection are of one
// moment however slow the provider is; then it is told.
func (b *Bridge) collect(_ context.Context, provider metric.Observer) (err error) {
	defer func() {
		// A provider that panics here would end the process from inside a
		// scrape. The provider's error handler is told instead.
		if cause := recover(); cause != nil {
			err = errors.Join(err, fmt.Errorf("otelbridge: collection panicked: %v", cause))
		}
	}()
	p := b.reader.Read()
	defer b.reader.Release(p)
	o := &observer{provider: provider}
	if b.processors != nil {
		b.processors.tell(o, p)
		b.boards.tell(o, p)
	}
	if b.health != nil {
		b.health.tell(o, p)
	}
	if b.node != nil {
		tellNode(o, b.node, p.Redundancy)
	}
	if b.guards != nil {
		tellGuards(o, b.guards, p.Guards)
	}
	b.limit.tell(o)
	return nil
}
