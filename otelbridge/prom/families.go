package prom

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopvitals/loopvitals/otelbridge"
	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// family is one metric with everything that does not change.
type family struct {
	id       catalogue.ID
	kind     catalogue.Kind
	name     string
	labels   []string
	text     string // the lines before its series in the text format
	openText string // and in OpenMetrics, where a counter's own name lacks _total
	desc     *prometheus.Desc
}

// newFamilies returns the families that the sources can have, in the order in
// which a registry gives them out.
func newFamilies(prefix string, src otelbridge.Sources, named bool) []*family {
	var all []*family
	for id := range catalogue.Count {
		m := id.Metric()
		ofTiers := slices.Contains(m.Keys, catalogue.KeyTier) || slices.Contains(m.Keys, catalogue.KeyCheck)
		switch {
		case m.HasBoard() && len(src.Monitors) == 0:
		case ofTiers && src.Tiers == nil:
		case id.OfRedundancy() && src.Redundancy == nil:
		case id.OfGuard() && len(src.Guards) == 0:
		default:
			all = append(all, newFamily(id, prefix, named))
		}
	}
	slices.SortFunc(all, func(a, b *family) int { return strings.Compare(a.name, b.name) })
	return all
}

func newFamily(id catalogue.ID, prefix string, named bool) *family {
	m := id.Metric()
	name := m.Prometheus(prefix)
	labels := slices.DeleteFunc(slices.Clone(m.Keys), func(key string) bool { return key == catalogue.KeyBoard && !named })
	return &family{
		id:       id,
		kind:     m.Kind,
		name:     name,
		labels:   labels,
		text:     header(name, &m),
		openText: header(strings.TrimSuffix(name, "_total"), &m),
		desc:     prometheus.NewDesc(name, m.Help, labels, nil),
	}
}

// header is the same in both formats: no help text has anything to escape.
func header(name string, m *catalogue.Metric) string {
	kind := "gauge"
	switch m.Kind {
	case catalogue.Counter:
		kind = "counter"
	case catalogue.Histogram:
		kind = "histogram"
	case catalogue.State, catalogue.Gauge, catalogue.Seconds:
	}
	return "# HELP " + name + " " + m.Help + "\n# TYPE " + name + " " + kind + "\n"
}
