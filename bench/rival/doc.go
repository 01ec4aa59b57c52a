// Package rival holds what loopvitals is measured against: the designs that
// people write by hand for the same job, each as good as it can be without
// changing what it is.
//
//   - Dictionary: a concurrent map from id to an immutable record, a fresh
//     record for every report, read by walking all keys. This is the common
//     design of health checks over a ConcurrentDictionary.
//   - Record: a plain struct with a mutex, one a processor, in a map.
//   - Slots: no design at all, only the memory, as the limit of what a reader
//     can reach.
//   - Tree: the health answer as nested maps, for encoding/json.
package rival
