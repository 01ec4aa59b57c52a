package catalogue

import (
	"slices"
	"strings"
)

// Prometheus is the name that the metric, behind a prefix, has in Prometheus: the
// one that the OpenTelemetry exporter's default translation makes. Every run of
// characters that Prometheus does not take is an underscore, the unit s adds
// seconds, and a counter ends in total; neither word comes twice.
func (m *Metric) Prometheus(prefix string) string {
	words := strings.FieldsFunc(prefix+m.Name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if m.Unit == "s" && !slices.Contains(words, "seconds") {
		words = append(words, "seconds")
	}
	if m.Kind == Counter {
		words = append(slices.DeleteFunc(words, func(w string) bool { return w == "total" }), "total")
	}
	return strings.Join(words, "_")
}
