// Package catalogue is the one list of metrics. The OpenTelemetry bridge makes
// its instruments from it and the Prometheus exporter its families, so a name or
// a help text is written once.
//
// Names, units, keys and words are API: golden files of both exporters hold
// them. To add a metric, add its ID and its row; a test of each exporter then
// asks for the values.
package catalogue
