//go:build linux

package process

import (
	"context"
	"errors"
	"time"
)

// ErrTimeout is what Poll returns when the limit has passed.
var ErrTimeout = errors.New("not within the time limit")

// Poll asks until yes, the limit or the end of ctx.
func Poll(ctx context.Context, limit, every time.Duration, yes func() bool) error {
	deadline := time.Now().Add(limit)
	for !yes() {
		if time.Now().After(deadline) {
			return ErrTimeout
		}
		if err := Pause(ctx, every); err != nil {
			return err
		}
	}
	return nil
}

// Pause waits for so long, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
