package prom

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// teller hands one scrape's series to a registry, family by family and sorted:
// the registry then has nothing left to sort.
type teller struct {
	ch       chan<- prometheus.Metric
	at       int64 // nanoseconds, for people
	gauges   slab[gauge]
	counters slab[counter]
}

// tell sends one series.
func (t *teller) tell(f *family, labels []*dto.LabelPair, n int64) {
	value := float64(n)
	if f.kind == catalogue.Seconds {
		value = reading.Seconds(time.Duration(n))
	}
	if f.kind == catalogue.Counter {
		c := t.counters.next()
		c.desc, c.labels, c.value = f.desc, labels, value
		c.message.Value = &c.value
		t.ch <- c
		return
	}
	g := t.gauges.next()
	g.desc, g.labels, g.value = f.desc, labels, value
	g.message.Value = &g.value
	t.ch <- g
}

func (t *teller) processors(f *family, value processorValue, boards []reading.Board[*processorPairs]) {
	for _, b := range boards {
		for i := range b.Rows {
			if n, ok := value(&b.Rows[i].Facts, t.at); ok {
				t.tell(f, b.Rows[i].Prepared.self, n)
			}
		}
	}
}

func (t *teller) processorStatus(f *family, boards []reading.Board[*processorPairs]) {
	for _, b := range boards {
		for i := range b.Rows {
			r := &b.Rows[i]
			for _, status := range statuses[:processorStatuses] {
				t.tell(f, r.Prepared.status[status], holds(r.Status == check.Status(status)))
			}
		}
	}
}

func (t *teller) processorReason(f *family, boards []reading.Board[*processorPairs]) {
	for _, b := range boards {
		for i := range b.Rows {
			t.tell(f, b.Rows[i].Prepared.reasonOf(b.Rows[i].Reason), 1)
		}
	}
}

func (t *teller) boards(f *family, value boardValue, boards []reading.Board[*processorPairs], labels []boardPairs) {
	for i := range boards {
		if n, ok := value(&boards[i].Totals, t.at); ok {
			t.tell(f, labels[i].self, n)
		}
	}
}

func (t *teller) boardProcessors(f *family, boards []reading.Board[*processorPairs], labels []boardPairs) {
	for i := range boards {
		for _, status := range statuses[:processorStatuses] {
			t.tell(f, labels[i].status[status], boards[i].Totals.Processors[status])
		}
	}
}

func (t *teller) internalEvents(f *family, boards []reading.Board[*processorPairs], labels []boardPairs) {
	for i := range boards {
		for n, e := range events {
			t.tell(f, labels[i].events[n], e.count(&boards[i].Totals))
		}
	}
}

func (t *teller) tierStatus(f *family, known []reading.Tier, labels *[len(reading.KnownTiers)]tierPairs) {
	for _, status := range statuses {
		for _, tier := range known {
			t.tell(f, labels[tier.Index].status[status], holds(tier.Shown == status))
		}
	}
}

func (t *teller) tierChecks(f *family, known []reading.Tier, labels *[len(reading.KnownTiers)]tierPairs) {
	for _, tier := range known {
		t.tell(f, labels[tier.Index].self, int64(tier.Checks))
	}
}

func (t *teller) checks(f *family, value checkValue, checks []reading.Check[*checkPairs]) {
	for i := range checks {
		if n, ok := value(&checks[i].CheckState); ok {
			t.tell(f, checks[i].Prepared.self, n)
		}
	}
}

func (t *teller) checkStatus(f *family, checks []reading.Check[*checkPairs]) {
	for i := range checks {
		for _, status := range statuses {
			for _, labels := range checks[i].Prepared.tiers {
				t.tell(f, labels[status], holds(checks[i].Shown == status))
			}
		}
	}
}

func (t *teller) redundancy(f *family, all []reading.Series[[]*dto.LabelPair]) {
	for i := range all {
		if all[i].ID == f.id {
			t.tell(f, all[i].Prepared, all[i].N)
		}
	}
}

func (t *teller) guards(f *family, all []reading.Guard[[]*dto.LabelPair]) {
	for i := range all {
		if n, known := all[i].Value(f.id); known {
			t.tell(f, all[i].Prepared, n)
		}
	}
}

// durations sends the histograms, of which there are few.
func (t *teller) durations(f *family, all []recorded) {
	for _, r := range all {
		buckets, count := make(map[float64]uint64, len(catalogue.DurationBounds)), uint64(0)
		for i, bound := range catalogue.DurationBounds {
			count += r.counts[i]
			buckets[bound] = count
		}
		count += r.counts[len(catalogue.DurationBounds)]
		m, err := prometheus.NewConstHistogram(f.desc, count, reading.Seconds(r.sum), buckets, r.check, r.outcome.String())
		if err != nil {
			m = prometheus.NewInvalidMetric(f.desc, err)
		}
		t.ch <- m
	}
}
