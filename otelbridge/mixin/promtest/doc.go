// Package promtest tries the rules of package mixin on the real programs: on
// Prometheus, promtool and Alertmanager, built from the Go module proxy, so that
// nothing has to be installed by hand and every machine has the same versions.
//
// # Usage
//
// A server starts on a free port of loopback, in a folder of its own, and is
// ready when its constructor returns:
//
//	server, err := promtest.StartPrometheus(ctx, promtest.PrometheusSetup{Config: config, Rules: rules})
//	defer server.Stop()
//	alerts, err := server.Alerts(ctx)
//
// # Versions
//
// Prometheus and promtool are tools of this module's go.mod. Alertmanager has a
// go.mod of its own in internal/tools/alertmanager, because it and Prometheus
// want different versions of what they share. Neither is imported: this module
// compiles in a second, and the programs are compiled once a machine, into the
// build cache of the go command.
//
// # Guarantees under concurrency
//
// Build may be called by any number of goroutines and processes. The methods of
// a server may be called concurrently. No process outlives its Stop.
package promtest
