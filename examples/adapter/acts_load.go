//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

const (
	silentClients = 50
	validProbes   = 200
	// lostProbes may go without an answer in time: these clients come back at once, so
	// that newcomers may overtake a probe before its request is there, and the kernel
	// drops connections that the backlog of two has no place for.
	lostProbes = validProbes / 20
)

// crowd has clients that say nothing beside probes that are valid (A6).
func (t *trial) crowd(ctx context.Context) error {
	ctx, disperse := context.WithCancel(ctx)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer disperse()
	for range silentClients {
		clients.Go(func() { sayNothing(ctx, t.main.address) })
	}
	if err := process.Pause(ctx, 200*time.Millisecond); err != nil {
		return err
	}
	for try := 1; ; try++ {
		answered, passed, took, err := t.probesInARow(ctx)
		if err != nil {
			return err
		}
		if answered >= validProbes-lostProbes {
			t.row(fmt.Sprintf("%d silent clients beside %d probes", silentClients, validProbes), "",
				"%d answered, %d with 200, p50 %s, p99 %s", answered, passed, milliseconds(took[len(took)/2]), milliseconds(took[len(took)*99/100]))
			return nil
		}
		if try == tries {
			return fmt.Errorf("%d of %d probes beside %d silent clients were answered: must be %d", answered, validProbes, silentClients, validProbes-lostProbes)
		}
	}
}

// probesInARow asks again and again, and sorts how long that took.
func (t *trial) probesInARow(ctx context.Context) (answered, passed int, took []time.Duration, err error) {
	for i := range validProbes {
		since := time.Now()
		code, err := t.client.ask(ctx, http.MethodGet, "http://"+t.main.address+paths[i%len(paths)])
		if ctx.Err() != nil {
			return 0, 0, nil, context.Cause(ctx)
		}
		if err == nil {
			answered++
		}
		if code == http.StatusOK { // where the machine is too busy to sample, all are 503 for a while
			passed++
		}
		took = append(took, time.Since(since))
	}
	slices.Sort(took)
	return answered, passed, took, nil
}

// sayNothing connects and waits until it is sent away, again and again.
func sayNothing(ctx context.Context, address string) {
	dialer := net.Dialer{Timeout: time.Second}
	for ctx.Err() == nil {
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			_ = process.Pause(ctx, lookEvery)
			continue
		}
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
		_, _ = c.Read(make([]byte, 1))
		stop()
		_ = c.Close()
	}
}

// undisturbed compares the node's work beside an adapter with what it was without,
// and looks whether an order was lost in this life of the node (S2.17).
func (t *trial) undisturbed(ctx context.Context) error {
	pace := 0.0
	for try := 0; pace <= t.pace/2; try++ {
		if try == tries {
			return fmt.Errorf("the node works at %.1f orders/s beside an adapter and at %.1f without", pace, t.pace)
		}
		var err error
		if pace, err = t.works(ctx, 2*time.Second); err != nil {
			return err
		}
	}
	before, err := t.orders(ctx)
	if err != nil {
		return err
	}
	var after orders
	err = process.Poll(ctx, limit, lookEvery, func() bool {
		after, err = t.orders(ctx)
		return err == nil && after.Stored >= before.Placed
	})
	if err != nil {
		return fmt.Errorf("%d orders were placed and %d stored: %w", before.Placed, after.Stored, err)
	}
	t.row("the node's work beside all this", "", "%.1f orders/s; all of %d are stored", pace, before.Placed)
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
