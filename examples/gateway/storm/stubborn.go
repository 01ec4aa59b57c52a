package main

import (
	"context"
	"sync"
	"time"
)

// stubborn is what a consumer does that has no guard. It sends a request and arms a
// timer; when that is up and the newest request has not brought the items, it sends
// another, whatever has become of those before. They stay under way until they end by
// themselves, and nobody heeds their answers any more. It returns when ctx has ended and
// they have.
func stubborn(ctx context.Context, every time.Duration, subscribe func(context.Context) error) {
	var calls sync.WaitGroup
	defer calls.Wait()
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		done := make(chan struct{})
		calls.Go(func() {
			if subscribe(ctx) == nil {
				close(done)
			}
		})
		select {
		case <-ticks.C:
		case <-done:
			<-ctx.Done()
			return
		case <-ctx.Done():
			return
		}
	}
}
