package reading

import "time"

// Seconds is a duration as it is exported: the nearest number there is, so that
// every exporter tells the same one.
func Seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// UnixSeconds is a calendar time as Prometheus has it.
func UnixSeconds(t time.Time) float64 { return Seconds(time.Duration(t.UnixNano())) }
