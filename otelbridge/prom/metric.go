package prom

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// gauge and counter are series as a registry takes them, with the message that it
// asks for inside. The labels are shared by all scrapes, and by contract nobody
// changes them; the value is this scrape's own.
type (
	gauge struct {
		desc    *prometheus.Desc
		labels  []*dto.LabelPair
		value   float64
		message dto.Gauge
	}
	counter struct {
		desc    *prometheus.Desc
		labels  []*dto.LabelPair
		value   float64
		message dto.Counter
	}
)

func (g *gauge) Desc() *prometheus.Desc   { return g.desc }
func (c *counter) Desc() *prometheus.Desc { return c.desc }

func (g *gauge) Write(out *dto.Metric) error {
	out.Label, out.Gauge = g.labels, &g.message
	return nil
}

func (c *counter) Write(out *dto.Metric) error {
	out.Label, out.Counter = c.labels, &c.message
	return nil
}

// slab hands out the room of one scrape's series, piece by piece, so that a
// scrape allocates once for hundreds of series.
type slab[T any] struct{ free []T }

// slabSize keeps a piece below the size from which Go allocates each on pages of
// its own.
const slabSize = 224

func (s *slab[T]) next() *T {
	if len(s.free) == 0 {
		s.free = make([]T, slabSize)
	}
	next := &s.free[0]
	s.free = s.free[1:]
	return next
}
