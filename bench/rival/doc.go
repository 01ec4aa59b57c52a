// Package rival holds what loopvitals is measured against, each as good as it
// can be without changing what it is: designs that people write by hand for the
// same job, and libraries, as their real modules.
//
//   - Dictionary: a concurrent map from id to an immutable record, a fresh
//     record for every report, read by walking all keys. This is the common
//     design of health checks over a ConcurrentDictionary.
//   - Record: a plain struct with a mutex, one a processor, in a map.
//   - Slots: no design at all, only the memory, as the limit of what a reader
//     can reach.
//   - Tree: the health answer as nested maps, for encoding/json.
//   - OTelGauges, GaugeVecs, Gauges: the facts of a loop in the gauges of the
//     OpenTelemetry SDK and of client_golang.
//   - Timers: a timer for each processor, in the place of a pass over all.
//   - Peer: the handlers of three libraries for health checks.
//   - Constants: a collector that makes all series anew for each scrape.
package rival
