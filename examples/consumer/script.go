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
	a, err := startApp(ctx, s)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, a.stop()) }()
	stop, err := a.serveOn(l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	base := "http://" + l.Addr().String()
	fmt.Fprintf(out, prologue, base)
	st := &stage{ctx: ctx, out: out, client: &http.Client{Timeout: 5 * time.Second}, base: base, begun: time.Now(), pause: pause}
	defer st.client.CloseIdleConnections()
	live := &liveWatch{stage: st}
	defer live.start()()
	steps := a.script(live)
	if err := st.run(steps); err != nil {
		return err
	}
	fmt.Fprintf(out, "\ndemo: ok (%d steps)\n", len(steps))
	return nil
}

// script is the story. Each step says what it expects, and the stage checks it.
func (a *app) script(live *liveWatch) []step {
	bound := a.policy.StaleAfter
	if bound == 0 {
		bound = 5 * time.Second // the library's default for this interval
	}
	var duringOutage uint64
	return []step{
		{
			"Everything is healthy",
			"The orders keep coming in. `processors` is one entry for all loops; below it is one line a loop.",
			func(s *stage) error {
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey),
					ok(), entry("processors", "Healthy"), entry("database", "Healthy"), entry("nats", "Healthy"))...)
			},
		},
		{
			"A handler of `orders` hangs",
			"It ignores its context, so no timeout gets it out. At first nobody can tell that from work:\n" +
				fmt.Sprintf("one unit of work may take %v. Until then ready stays 200.", bound),
			func(s *stage) error {
				if err := s.post("/demo/wedge?processor=orders"); err != nil {
					return err
				}
				return s.see(readyPath, ok(), reason(ordersKey, "busy"), busyFor(ordersKey, bound/5))
			},
		},
		{
			"Ready turns 503 and says who, and for how long",
			"Everything else goes on: the process, the server, the database and the other loops are fine,\n" +
				"which is why a probe of the process alone would see nothing.",
			func(s *stage) error {
				return s.see(readyPath, append(others(billingKey, auditKey),
					unavailable(), entry("processors", "Unhealthy"), reason(ordersKey, "stuck"), says("processors", "'orders' has been busy for"),
					busyFor(ordersKey, bound), entry("database", "Healthy"), entry("nats", "Healthy"))...)
			},
		},
		{
			"The handler is released, and ready recovers",
			"The next report of the loop is enough. What piled up meanwhile is worked off.",
			func(s *stage) error {
				if err := s.post("/demo/release?processor=orders"); err != nil {
					return err
				}
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey),
					ok(), entry("processors", "Healthy"), lagBelow(ordersKey, 10))...)
			},
		},
		{
			"A worker of `billing` panics",
			"The run helper makes a fault of the panic, so the program lives. A fault is final: no late beat\n" +
				"of the other worker can cover it up.",
			func(s *stage) error {
				if err := s.post("/demo/fault?processor=billing"); err != nil {
					return err
				}
				return s.see(readyPath, append(others(ordersKey, auditKey),
					unavailable(), entry("processors", "Unhealthy"), reason(billingKey, "faulted"), says("processors", "'billing'"))...)
			},
		},
		{
			"The supervisor restarts `billing`",
			"Reporter.Restart begins a new incarnation; `faults` keeps count of what happened.",
			func(s *stage) error {
				if err := s.post("/demo/restart?processor=billing"); err != nil {
					return err
				}
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey), ok(), entry("processors", "Healthy"), lagBelow(billingKey, 10))...)
			},
		},
		{
			"The audit's lease moves to another replica",
			"This replica's `audit` is on standby now and reports nothing. That is healthy for as long as it lasts:\n" +
				"nothing alarms. Only the active tier says that this replica is not the one that acts.",
			func(s *stage) error {
				if err := s.post("/demo/standby?processor=audit"); err != nil {
					return err
				}
				if err := s.see(activePath, unavailable(), entry("lease", "Unhealthy")); err != nil {
					return err
				}
				return s.keep(bound+bound/5, readyPath, append(others(ordersKey, billingKey),
					ok(), entry("processors", "Healthy"), reason(auditKey, "standby"))...)
			},
		},
		{
			"The lease comes back",
			"The other replica hands it over, and `audit` goes on where that one stopped.",
			func(s *stage) error {
				if err := s.post("/demo/resume?processor=audit"); err != nil {
					return err
				}
				if err := s.see(activePath, ok(), entry("lease", "Healthy")); err != nil {
					return err
				}
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey), ok(), lagBelow(auditKey, 10))...)
			},
		},
		{
			"The database goes away",
			"Its file is moved away, so that connecting fails for real. Ready names the database.",
			func(s *stage) error {
				duringOutage = a.publisher.placed.Load()
				if err := s.post("/demo/db-down"); err != nil {
					return err
				}
				return s.see(readyPath, unavailable(), entry("database", "Unhealthy"), entry("processors", "Healthy"))
			},
		},
		{
			"The database stays away, and no loop is blamed for it",
			"`orders` cannot store anything and falls behind, but it goes round: its messages come back until they are stored.",
			func(s *stage) error {
				return s.keep(bound+bound/5, readyPath, append(others(ordersKey, billingKey, auditKey),
					unavailable(), entry("database", "Unhealthy"), entry("processors", "Healthy"))...)
			},
		},
		{
			"The database comes back",
			"Ready recovers by itself, and every order of the outage gets stored.",
			func(s *stage) error {
				if err := s.post("/demo/db-up"); err != nil {
					return err
				}
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey),
					ok(), entry("database", "Healthy"), lagBelow(ordersKey, 10))...)
			},
		},
		{
			"A rebuild of billing's accounts starts",
			"It reads every order again, from the first one, beside the live `billing`. Being far behind is normal for it.",
			func(s *stage) error {
				if err := s.post("/demo/restart?processor=" + rebuildKey); err != nil {
					return err
				}
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey, rebuildKey), ok())...)
			},
		},
		{
			"The rebuild is done",
			"It ended on purpose, so nothing of it stays: no line that could turn stale.",
			func(s *stage) error {
				return s.see(readyPath, append(others(ordersKey, billingKey, auditKey), ok(), absent(rebuildKey))...)
			},
		},
		{
			"Nothing was lost, and nothing was restarted",
			"Every order is stored once, and the live tier was 200 all the time: an orchestrator that restarts on it did nothing.",
			func(s *stage) error {
				if err := a.nothingLost(s, duringOutage); err != nil {
					return err
				}
				return live.verdict()
			},
		},
	}
}

// nothingLost stops the orders and compares what was placed with what arrived.
func (a *app) nothingLost(s *stage, before uint64) error {
	placed := a.publisher.stop()
	deadline := time.Now().Add(patience)
	for {
		stored, err := a.db.stored(s.ctx)
		if err != nil {
			return err
		}
		billed := uint64(a.accounts.booked()) //nolint:gosec // a length
		if stored == placed && billed == placed {
			fmt.Fprintf(s.out, "  %d orders placed (%d since the database went away), %d stored, %d billed\n", placed, placed-before, stored, billed)
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
