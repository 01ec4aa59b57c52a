package stream

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
)

// UsualPace is how often Feed measures unless told.
const UsualPace = 50 * time.Millisecond

// Feed is the sensors of a plant: it measures one tag after the other until ctx
// ends. The values swing across the usual limit, with some noise. A server
// that is away costs readings, and not Feed.
func Feed(ctx context.Context, s *Streams, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	tags := []string{"pressure", "temperature", "level"}
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		turn := float64(i)/12 + 2*float64(i%len(tags))
		limited, cancel := context.WithTimeout(ctx, time.Second)
		_, _ = s.Measure(limited, alarm.Reading{
			Tag: tags[i%len(tags)], Value: 70 + 20*math.Sin(turn) + 4*rand.Float64(),
		})
		cancel()
	}
}
