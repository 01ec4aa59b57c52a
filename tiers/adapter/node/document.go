package node

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// nothing is the document of a node of which nothing is known.
func (e *evaluator) nothing() observation.Document {
	return observation.Document{
		Version:  observation.Version,
		Identity: e.identity,
		Result:   observation.Failed,
		Sampled:  observation.Sampled{At: time.Now().UTC().Format(time.RFC3339Nano)},
	}
}

// document asks for all facts at the same time, and returns within the budget of
// one. ctx is the caller's: its end fails the caller's document and nothing else.
func (e *evaluator) document(ctx context.Context) observation.Document {
	d := e.nothing()
	d.Result = observation.Succeeded
	oldest := time.Now() // of what is a yes: a no is never too old to be believed
	check.CheckAll(ctx, e.facts[:], func(i int, s *check.Sample) {
		f, known := findingOf(s)
		if !known {
			d.Result = observation.Failed
			return
		}
		if f.yes && f.begun.Before(oldest) {
			oldest = f.begun
		}
		switch factIndex(i) {
		case healthy:
			d.Native.Healthy = f.yes
		case owner:
			d.Native.Owner = f.yes
		case ready:
			d.Activation.Ready = f.yes
		case listeners:
			d.Inventory = observation.Inventory{Complete: f.yes, Listeners: f.listeners}
		case capacity:
			d.Pressure.Available, d.Capacity = f.yes, f.capacity
		}
	})
	now := time.Now()
	d.Sampled.At = now.UTC().Format(time.RFC3339Nano)
	d.Sampled.AgeMs = wholeMilliseconds(now.Sub(oldest))
	return d
}

// encode returns the document as it is sent. What an application's own Gauge says
// may be impossible; then nothing of it is known.
func (e *evaluator) encode(ctx context.Context) []byte {
	d := e.document(ctx)
	text, err := d.Append(nil)
	if err == nil {
		return text
	}
	known := e.nothing()
	known.Sampled, known.Native, known.Activation = d.Sampled, d.Native, d.Activation
	text, _ = known.Append(nil) // cannot fail: the identity was tried
	return text
}

// wholeMilliseconds rounds up, since an age must never be told as less.
func wholeMilliseconds(d time.Duration) int64 {
	return int64((max(0, d) + time.Millisecond - 1) / time.Millisecond)
}
