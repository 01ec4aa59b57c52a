// Package prom exports processors, tiers, checks, the redundancy of warm nodes and
// the guards of subscriptions to Prometheus without OpenTelemetry in between: the
// same names, types, labels and values as package otelbridge behind its Prometheus
// exporter, for a fraction of the cost. Rules and dashboards cannot tell the two
// apart.
//
// # Usage
//
// An Exporter is a collector for an existing registry of client_golang:
//
//	exporter, err := prom.New(otelbridge.Sources{
//		Monitors:   []*liveness.Monitor{loops},
//		Tiers:      health,
//		Redundancy: node,
//		Guards:     []*resubscribe.Guard{gateway},
//	})
//	err = registry.Register(exporter)
//
// or a handler of its own, which needs no registry:
//
//	mux.Handle("GET /metrics/loops", exporter)
//
// One Exporter may be both. Start Run of the tier set, or a tier that nobody
// probes is exported as unknown.
//
// # Which to choose
//
//	                       for                                    cost of a scrape
//	package otelbridge     programs that have OpenTelemetry, and  the most, and a limit of 2000
//	                       all that push                          series an instrument by default
//	registry.Register      programs that have client_golang       most of it the registry's own
//	the handler            boards of a thousand and more          the least: no allocation for a
//	                                                              series, no limit on their number
//
// A scrape of the handler costs a hundredth and less of the same through
// OpenTelemetry. Choose one of them for the same scrape target: the same series
// from two places would be counted twice.
//
// # Metrics
//
// The package comment of otelbridge lists the metrics, when each has a series,
// and what its words mean. In Prometheus dots are underscores, a unit of s adds
// _seconds, a counter _total, and updowncounters are gauges. With
// liveness.export.dropped_series this package says that it hides nothing: 0.
//
// A registry wants the same labels for all series of a metric. So where one
// board has a name and another has none, the Collector gives that one the label
// board="", which to Prometheus is the same as no label; the handler leaves it
// out.
//
// # Guarantees under concurrency
//
//  1. Nothing on a loop's path, and nothing that a probe waits for, runs code of
//     this package. The durations are recorded by a goroutine of the check's.
//  2. A scrape runs no check and waits for none, so one that hangs delays no
//     scrape.
//  3. All verdicts of one board in one scrape rest on one reading of the clock,
//     and everything is read before the first byte, or the first series, is given
//     away. A slow client holds memory for its own scrape and nothing else.
//  4. Scrapes run at the same time, also with processors that come and go. A
//     processor that left its board has no series at the next scrape, and nothing
//     of it is kept.
//  5. No goroutine is started. A clock of the user's that panics ends the scrape
//     with an error, and not the process. That of a redundancy node costs what it
//     tells of.
//  6. No value is NaN or infinite, and none wraps.
//
// # What it does not do
//
// It does not limit how many scrapes run at once or how long a client may take:
// that is the server's business (http.Server.WriteTimeout), as are authentication
// and TLS. It speaks the text formats only, so a client that asks for protobuf
// is answered with text. Errors, causes and descriptions are never exported.
//
// # Testing with it
//
// The text of the handler parses with expfmt.TextParser, a registry gathers when
// a test says so, and WithClock sets the calendar of the timestamps.
package prom
