package rival

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Constants is a collector as it is usually written over facts that live
// elsewhere: for each scrape it makes every series with MustNewConstMetric. Its
// facts are at hand, so that reading and judging them costs it nothing.
type Constants struct {
	descs  []*prometheus.Desc
	series []constant
}

type constant struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	value  float64
	labels []string
}

// NewConstants returns a collector of the same gauges and counters as those that
// were gathered elsewhere.
func NewConstants(families []*dto.MetricFamily) (*Constants, error) {
	c := &Constants{}
	for _, f := range families {
		if len(f.GetMetric()) == 0 {
			continue
		}
		var names []string
		for _, pair := range f.GetMetric()[0].GetLabel() {
			names = append(names, pair.GetName())
		}
		desc := prometheus.NewDesc(f.GetName(), f.GetHelp(), names, nil)
		c.descs = append(c.descs, desc)
		for _, m := range f.GetMetric() {
			s := constant{desc: desc}
			switch f.GetType() {
			case dto.MetricType_GAUGE:
				s.kind, s.value = prometheus.GaugeValue, m.GetGauge().GetValue()
			case dto.MetricType_COUNTER:
				s.kind, s.value = prometheus.CounterValue, m.GetCounter().GetValue()
			default:
				return nil, fmt.Errorf("rival: metric %s: type %v: want a gauge or a counter", f.GetName(), f.GetType())
			}
			for _, pair := range m.GetLabel() {
				s.labels = append(s.labels, pair.GetValue())
			}
			c.series = append(c.series, s)
		}
	}
	return c, nil
}

// Describe implements prometheus.Collector.
func (c *Constants) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (c *Constants) Collect(ch chan<- prometheus.Metric) {
	for i := range c.series {
		s := &c.series[i]
		ch <- prometheus.MustNewConstMetric(s.desc, s.kind, s.value, s.labels...)
	}
}

// Len returns the number of series.
func (c *Constants) Len() int { return len(c.series) }
