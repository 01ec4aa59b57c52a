package reading

import "time"

// UnixSeconds is a calendar time as Prometheus has it.
func UnixSeconds(t time.Time) float64 { return float64(t.UnixNano()) / float64(time.Second) }
