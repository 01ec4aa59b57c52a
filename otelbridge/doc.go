// Package otelbridge exports processors, tiers, checks, the redundancy of warm nodes
// and the guards of subscriptions as OpenTelemetry metrics. It repeats the verdicts
// that every other output shows, and judges nothing.
//
// # Usage
//
// Give it the application's meter provider, whatever that exports to:
//
//	exporter, err := prometheus.New() // go.opentelemetry.io/otel/exporters/prometheus
//	provider := metric.NewMeterProvider(metric.WithReader(exporter))
//
//	bridge, err := otelbridge.New(provider, otelbridge.Sources{
//		Monitors:   []*liveness.Monitor{loops},
//		Tiers:      health,
//		Redundancy: node,
//		Guards:     []*resubscribe.Guard{gateway},
//	})
//	defer bridge.Close()
//
// Each of the four may be left out. Start Run of the tier set, or a tier that
// nobody probes is exported as unknown. Where the provider pushes, shut it down
// before the bridge is closed: the last push then says that the loops stopped,
// rather than nothing.
//
// # Metrics
//
// Names, units and attribute keys are API. Each metric that begins with liveness,
// save that of the export itself, has one attribute more, board, if the board has
// a name. Prometheus names are those of the exporter's default translation: dots
// become underscores, a unit of s adds _seconds, a counter _total.
//
//	name                                         kind           unit         attributes
//	liveness.processor.status                    updowncounter  1            processor status
//	liveness.processor.reason                    updowncounter  1            processor reason
//	liveness.processor.heartbeat.age             gauge          s            processor
//	liveness.processor.last_heartbeat_timestamp  gauge          s            processor
//	liveness.processor.staleness_threshold       gauge          s            processor
//	liveness.processor.busy.age                  gauge          s            processor
//	liveness.processor.heartbeats                counter        {heartbeat}  processor
//	liveness.processor.lag                       gauge          {event}      processor
//	liveness.processor.lag_threshold             gauge          {event}      processor
//	liveness.processor.position                  gauge          {event}      processor
//	liveness.processor.faults                    counter        {fault}      processor
//	liveness.processor.starts                    counter        {start}      processor
//	liveness.processor.rebuilding                updowncounter  1            processor
//	liveness.board.processors                    updowncounter  {processor}  status
//	liveness.board.oldest_age                    gauge          s            -
//	liveness.board.observed_timestamp            gauge          s            -
//	liveness.internal.events                     counter        {event}      kind
//	liveness.observer.lateness                   gauge          s            -
//	liveness.export.dropped_series               gauge          {series}     -
//	health.tier.status                           updowncounter  1            tier status
//	health.tier.checks                           updowncounter  {check}      tier
//	health.check.status                          updowncounter  1            tier check status
//	health.check.duration                        histogram      s            check outcome
//	health.check.hung                            updowncounter  {run}        check
//	health.check.last_run_timestamp              gauge          s            check
//	redundancy.service_level                     gauge          -            -
//	redundancy.service_level_change              counter        {change}     level
//	redundancy.primary_gate_denied               counter        {denial}     reason site
//	redundancy.role                              updowncounter  1            role
//	redundancy.snapshot.age                      gauge          s            -
//	redundancy.peer_probe                        counter        {probe}      outcome peer
//	redundancy.ignored                           counter        {event}      kind
//	redundancy.observed_timestamp                gauge          s            -
//	resubscribe.in_flight                        updowncounter  1            guard
//	resubscribe.oldest_age                       gauge          s            guard
//	resubscribe.sends                            counter        {request}    guard
//	resubscribe.presumed_lost                    counter        {request}    guard
//	resubscribe.backoff                          gauge          s            guard
//
// Each metric named status is a state set: 1 for the status that holds, 0 for
// the others, of healthy, degraded and unhealthy. Tiers and checks also have
// unknown, for what never ran or ran longer ago than its maximum age. The metric
// named reason has one series, of the reason that holds, with the value 1. An
// outcome is ok, degraded, failed, timeout or panic, and that of a probe of a peer
// ok, failed or timeout. A kind is refused_registration, clamped_lag or
// dropped_transition, and that of redundancy garbage, version, old, stranger or
// failure. A role is primary, secondary, detached or unknown, and the role a state
// set as well; a level is a number; a site is write, ack, alarm-emit or one of
// redundancy.Config.Sites; its reason is secondary, detached or role-unknown. A guard is the key of its
// configuration; in_flight is 1 or 0.
//
// What is not known has no series, and a zero is a zero: a status, a reason and
// the counters are there from registration on; heartbeat.age and
// last_heartbeat_timestamp while a beat must follow and there was one, which a
// Resume renews as a beat does; busy.age while a unit of work is in progress;
// lag and position once reported; lag_threshold if the policy has one, also for
// rebuilds, whose lag it does not bound; oldest_age while any processor has an
// age; last_run_timestamp after the first run; service_level once Run of the node
// has computed one, and snapshot.age once there is a snapshot. The counters of
// redundancy are there from the first collection on, for each level, site, reason
// and kind, and for each peer while it is probed. A guard has all of its series from
// the first collection on, also once it is stopped, but for oldest_age, which is there
// while a request is in flight. A request is counted as presumed lost when its guard
// looks: Run does so at the ceiling, and without Run it is the next Begin. A processor
// that left its board has no series at the next collection.
//
// # Many processors
//
// The SDK keeps 2000 attribute sets for each instrument by default and folds
// the rest, without a word, into one series with the attribute
// otel.metric.overflow (in Prometheus otel_metric_overflow). The status has three
// for each processor, so from 667 processors on raise the limit of the provider:
//
//	metric.NewMeterProvider(metric.WithReader(exporter), metric.WithCardinalityLimit(4*processors))
//
// and tell the bridge with its own WithCardinalityLimit, since it cannot ask.
// What is past the limit it was told of is counted in
// liveness.export.dropped_series, and said once to OpenTelemetry's error handler.
// The bridge tells the worst processors first, so healthy ones are folded before
// any other, and liveness.board.processors counts all of them in any case.
//
// # Guarantees under concurrency
//
//  1. Nothing on a loop's path calls OpenTelemetry. Everything but the durations
//     is observed when a reader collects; those are recorded from a goroutine
//     that no probe waits for. An exporter that is slow, blocks for ever, or
//     panics in a collection delays no beat, no probe and no verdict.
//  2. A collection runs no check and no code of the user's but the provider's,
//     and takes no lock while it observes.
//  3. All verdicts of one board in one collection rest on one reading of the
//     clock, and were read before the first value was observed.
//  4. Several readers may collect at the same time.
//  5. No constructor starts a goroutine. After Close no later collection has a
//     series of the bridge, save the durations recorded so far.
//
// # What it does not do
//
// It imports the OpenTelemetry API and never the SDK: provider, readers, views
// and exporters are the application's. Errors, causes and descriptions are never
// exported.
//
// # Testing with it
//
// The SDK's ManualReader collects when a test says so, and WithClock sets the
// calendar of the timestamps.
package otelbridge
