// Package dash builds the Grafana dashboard of loopvitals: whether every loop
// lives, which one does not, since when and why, from the metrics that
// otelbridge and otelbridge/prom export.
//
// # Usage
//
// dashboard.json beside this file is the default dashboard. In Grafana: New,
// Import, upload the file, and choose the Prometheus data source at the top of
// the page. To provision it, put the file where a provider of Grafana looks:
//
//	# provisioning/dashboards/loopvitals.yaml
//	apiVersion: 1
//	providers:
//	  - name: loopvitals
//	    options: { path: /var/lib/grafana/dashboards }
//
// It is the classic model, which every Grafana since 9 imports. State timelines
// and tables are the built-in panels: no plug-in is needed.
//
// Metrics with a name prefix, or one dashboard for one team, need a dashboard of
// their own:
//
//	go run github.com/loopvitals/loopvitals/otelbridge/mixin/dash/cmd/dashboard \
//		-prefix otopcua. -selector 'cluster="eu-1"' -interval 15s >dashboard.json
//
// or the same in Go, with a dashboard in hand that may be changed further:
//
//	d, err := dash.New(dash.Config{Prefix: "otopcua.", Selector: `cluster="eu-1"`})
//
// # Rows
//
// Now tells in one glance whether anything is wrong. Processors shows each one's
// reason over time, and a table that begins with the worst. Heartbeats holds
// each age against its own threshold; Progress has lag, rate and the time to
// catch up; Faults and starts, Checks, Redundancy with the levels and roles of
// warm nodes, Resubscribing with the requests of each guard, and The library itself
// follow. Each panel says what it shows in its description, and links to the part of the runbook
// that explains it. A click on a reason in the table opens the runbook there.
//
// # Variables
//
// Job, instance, board and processor take several values or all. All also
// matches what has no such label: boards without a name, and whatever a
// collector sends without a job. A board of thousands is drawn line by line, so
// choose an instance or a few processors there.
//
// # Scraped or pushed
//
// The expressions aggregate by job, instance, board and processor, so it does
// not matter which exporter was scraped, whether it adds labels for the
// instrumentation scope, or whether values came through Prometheus' receiver for
// OTLP. What a dead process pushed last stays visible for five minutes: look at
// the age of the values, in the first row and in the last.
//
// Rates need two samples, hence Config.Interval: with its default of one minute
// they work with the usual intervals of both ways, and are smoothed over four.
//
// # Changing it
//
// go test -update rewrites dashboard.json. The tests hold every name to the
// catalogue of metrics, every link to the runbook and the file to the SDK's
// strict decoder; those of the module promtest evaluate every query on a real
// Prometheus.
package dash
