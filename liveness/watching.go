package liveness

import (
	"context"
	"errors"
	"time"
)

// ErrRunning is what a second Run of one Monitor returns.
var ErrRunning = errors.New("liveness: Run is running already")

// ErrHookHangs is what Run returns when it ends while WithTransitions' hook or
// the logger does not return. One goroutine is left, for as long as that lasts.
var ErrHookHangs = errors.New("liveness: a transition hook does not return")

// Run watches until ctx is done and returns nil then. Every 100 ms it notes that
// the observer is there, so that a freeze of the process is not taken for a
// wedge of its loops, and publishes the transitions to WithTransitions' hook and
// to the logger. The caller starts it:
//
//	go monitor.Run(ctx)
//
// Without it verdicts are given all the same, and at once, but there is no
// grace after a freeze. A bound of less than a second is not protected from
// freezes of less than half a second. One goroutine at a time may run it.
func (m *Monitor) Run(ctx context.Context) error {
	if m == nil || m.clock == nil {
		return errors.New("liveness: no monitor: use NewMonitor")
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	if !m.observer.start() {
		return ErrRunning
	}
	ticker := m.clock.Ticker(tick)
	defer ticker.Stop()
	if m.onChange == nil && m.log == nil {
		return m.watch(ctx, ticker.C, func() {})
	}
	p := newPublisher(m)
	var j journal
	err := m.watch(ctx, ticker.C, func() {
		j.read(m)
		p.offer(&j)
	})
	return errors.Join(err, p.close())
}

// watch ticks until ctx is done, and then looks once more, so that what made the
// process stop is still told.
func (m *Monitor) watch(ctx context.Context, ticks <-chan time.Time, ticked func()) error {
	defer m.observer.stop()
	for {
		m.observer.tick()
		ticked()
		select {
		case <-ctx.Done():
			ticked()
			return nil
		case <-ticks:
		}
	}
}
