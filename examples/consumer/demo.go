package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	readyPath  = "/health/ready"
	activePath = "/health/active"
	livePath   = "/healthz"
)

// patience is how long a step waits for what it expects.
const patience = 15 * time.Second

const prologue = `loopvitals demo: a shop's event consumer, with a real NATS server and a real SQLite database inside this process.

  orders   stores every order in the database (one loop that polls)
  billing  adds every order to an account (two workers, which wait for input)
  audit    checks every order, on the one replica that holds a lease

Every answer below was fetched over HTTP from %s.
`

// runDemo starts the consumer, plays the script against it and stops it again.
func runDemo(ctx context.Context, out io.Writer, s settings, pause time.Duration) (err error) {
	l, err := listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	log := new(tape)
	a, err := startApp(ctx, s, log.logger())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, a.stop()) }()
	// Until the lease is there the check of it fails, which belongs to no step.
	for begun := time.Now(); !a.leaseHeld() && ctx.Err() == nil && time.Since(begun) < patience; {
		wait(ctx, 10*time.Millisecond)
	}
	stop, err := a.serveOn(l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	base := "http://" + l.Addr().String()
	fmt.Fprintf(out, prologue, base)
	st := &stage{
		ctx: ctx, out: out, log: log, base: base, client: &http.Client{Timeout: 5 * time.Second},
		begun: time.Now(), pause: pause, patience: patience,
	}
	defer st.client.CloseIdleConnections()
	live := &liveWatch{stage: st}
	defer live.start()()
	if err := st.settle(); err != nil {
		return err
	}
	steps := a.script(live)
	if err := st.run(steps); err != nil {
		return err
	}
	fmt.Fprintf(out, "\ndemo: ok (%d steps)\n", len(steps))
	return nil
}

// nothingLost stops the orders and compares what was placed with what arrived.
func (a *app) nothingLost(s *stage, beforeOutage uint64) error {
	placed := a.publisher.stop()
	deadline := time.Now().Add(s.patience)
	for {
		stored, err := a.db.stored(s.ctx)
		if err != nil {
			return err
		}
		billed := uint64(a.accounts.booked()) //nolint:gosec // a length
		if stored == placed && billed == placed {
			fmt.Fprintf(s.out, "  %d orders placed (%d since the database went away), %d stored, %d billed\n", placed, placed-beforeOutage, stored, billed)
			return nil
		}
		if time.Now().After(deadline) || s.ctx.Err() != nil {
			return mismatch(fmt.Sprintf("%d orders stored and billed", placed), fmt.Sprintf("%d stored, %d billed", stored, billed))
		}
		wait(s.ctx, 50*time.Millisecond)
	}
}

// liveWatch probes the live tier during the whole script.
type liveWatch struct {
	stage  *stage
	probes atomic.Int64
	bad    atomic.Int64
}

// start returns what ends the watch and waits for it.
func (w *liveWatch) start() (stop func()) {
	ctx, cancel := context.WithCancel(w.stage.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			code, _, err := request(ctx, w.stage.client, http.MethodGet, w.stage.base+livePath)
			if ctx.Err() != nil {
				return
			}
			w.probes.Add(1)
			if err != nil || code != http.StatusOK {
				w.bad.Add(1)
			}
			wait(ctx, 100*time.Millisecond)
		}
	}()
	return func() { cancel(); <-done }
}

func (w *liveWatch) verdict() error {
	if bad := w.bad.Load(); bad > 0 {
		return mismatch(fmt.Sprintf("all of %d probes of %s 200", w.probes.Load(), livePath), fmt.Sprintf("%d not", bad))
	}
	fmt.Fprintf(w.stage.out, "  GET %s -> 200 in all of %d probes\n", livePath, w.probes.Load())
	return nil
}
