package rival

import (
	"fmt"
	"math"
	"time"
)

// Status of an evaluation, worst first.
type Status int

// The three statuses.
const (
	Unhealthy Status = iota
	Degraded
	Healthy
)

// Thresholds are the design's two settings. The zero value is its default.
type Thresholds struct {
	StaleAfter  time.Duration // 0 means 5 s.
	DegradedLag int64         // 0 means never.
}

// Evaluate walks all keys of d and applies the design's verdict rules, with a
// text for each processor that is not well.
func Evaluate(d Dictionary, t Thresholds, now time.Time) (Status, []string) {
	if t.StaleAfter == 0 {
		t.StaleAfter = 5 * time.Second
	}
	if t.DegradedLag == 0 {
		t.DegradedLag = math.MaxInt64
	}
	worst := Healthy
	var texts []string
	for _, id := range d.IDs() {
		s := d.Get(id)
		switch elapsed := now.Sub(s.At); {
		case !s.HasReported:
		case s.Faulted:
			worst = Unhealthy
			texts = append(texts, fmt.Sprintf("Processor '%s' faulted and stopped", id))
		case elapsed > t.StaleAfter:
			worst = Unhealthy
			texts = append(texts, fmt.Sprintf("Processor '%s' last reported %v ago — possible wedge", id, elapsed))
		case !s.Rebuilding && s.Lag > t.DegradedLag:
			worst = min(worst, Degraded)
			texts = append(texts, fmt.Sprintf("Processor '%s' is %d events behind", id, s.Lag))
		}
	}
	return worst, texts
}
