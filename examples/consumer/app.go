package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

// The keys of the processors.
const (
	ordersKey  = "orders"
	billingKey = "billing"
	auditKey   = "audit"
	rebuildKey = "billing::rebuild::2"
)

// settings are what tests make shorter, where metrics are pushed to, and what makes
// a node of the consumer.
type settings struct {
	node       nodeSettings    // zero: it is none
	otlp       string          // URL of an OTLP receiver; empty: nothing is pushed
	policy     liveness.Policy // zero: the library's defaults
	interval   time.Duration   // how often a loop goes round without input
	orderEvery time.Duration
	leaseTTL   time.Duration
	rebuildLag time.Duration // what an order costs the rebuild, so that it can be watched
}

func defaultSettings() settings {
	return settings{
		interval:   250 * time.Millisecond,
		orderEvery: 50 * time.Millisecond,
		leaseTTL:   2 * time.Second,
		rebuildLag: 4 * time.Millisecond,
	}
}

// app is the whole consumer.
type app struct {
	settings
	dir        string
	broker     *broker
	db         *database
	board      *board.Board
	supervisor *supervisor
	publisher  *publisher
	accounts   *accounts
	audit      *audit // this replica's
	other      *audit // another replica's
	hands      map[string]*hand
	health     *health
	metrics    *metrics
	node       *nodeSide // nil: it is none

	ctx  context.Context //nolint:containedctx // the program's life; the rebuild starts within it
	end  context.CancelFunc
	wg   sync.WaitGroup
	fail chan error // a goroutine that cannot go on
}

// startApp starts everything. ctx bounds the start only; stop ends the app.
func startApp(ctx context.Context, s settings, log *slog.Logger) (_ *app, err error) {
	a := &app{settings: s, board: board.New(), accounts: newAccounts(), fail: make(chan error, 1)}
	a.ctx, a.end = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, a.stop())
		}
	}()
	if a.dir, err = os.MkdirTemp("", "loopvitals-consumer-"); err != nil {
		return nil, err
	}
	if a.db, err = openDatabase(ctx, filepath.Join(a.dir, "database")); err != nil {
		return nil, err
	}
	if a.broker, err = startBroker(ctx, filepath.Join(a.dir, "nats"), s.leaseTTL); err != nil {
		return nil, err
	}
	if a.health, err = newHealth(a.board, s.policy, a.db, a.broker.conn, a.leaseHeld, log); err != nil {
		return nil, err
	}
	if a.metrics, err = newMetrics(ctx, a.health, s.otlp); err != nil {
		return nil, err
	}
	if err = a.startLoops(ctx); err == nil && s.node != (nodeSettings{}) {
		err = a.startNode(s.node, log)
	}
	return a, err
}

// startLoops starts the processors, and what they live on.
func (a *app) startLoops(ctx context.Context) error {
	a.supervisor = newSupervisor(a.board)
	a.hands = map[string]*hand{}
	for _, key := range []string{ordersKey, billingKey, auditKey, rebuildKey} {
		a.hands[key] = newHand()
	}
	orders, err := a.puller(ctx, ordersKey, storeOrder(a.db))
	if err != nil {
		return err
	}
	billed, err := a.puller(ctx, billingKey, a.accounts.add)
	if err != nil {
		return err
	}
	audited, err := a.puller(ctx, auditKey, new(auditor).check)
	if err != nil {
		return err
	}
	billing := &billing{consumer: billed.consumer, every: a.interval, handle: billed.handle, backlog: billed.backlog}
	a.audit = &audit{lease: newLease(a.broker.leases, auditKey, "replica-a", a.leaseTTL), loop: *audited}
	a.other = &audit{lease: newLease(a.broker.leases, auditKey, "replica-b", a.leaseTTL), loop: puller{
		consumer: audited.consumer, // a cursor that the replicas share
		every:    a.interval,
		handle:   new(auditor).check, // the demo's hand reaches this replica only
		backlog:  func(ctx context.Context) (int64, error) { return backlog(ctx, audited.consumer) },
	}}
	a.other.lease.compete(false)

	a.publisher = &publisher{js: a.broker.js, every: a.orderEvery}
	a.background(a.publisher.run)
	// Another replica is another process, with a board of its own. Here it runs
	// unwatched: a nil reporter is legal and costs nothing.
	a.background(func(ctx context.Context) error { return a.other.run(ctx, nil) })
	return errors.Join(
		a.supervisor.start(a.ctx, board.Spec{ID: ordersKey, Interval: a.interval}, orders.run),
		a.supervisor.start(a.ctx, board.Spec{ID: billingKey, Interval: a.interval}, billing.run),
		a.supervisor.start(a.ctx, board.Spec{ID: auditKey, Interval: a.interval}, a.audit.run),
	)
}

// puller makes a polling loop over a consumer of its own.
func (a *app) puller(ctx context.Context, name string, handle handler) (*puller, error) {
	c, err := a.broker.consumer(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", name, err)
	}
	hand := a.hands[name]
	return &puller{
		consumer: c,
		every:    a.interval,
		handle:   hand.around(handle),
		backlog:  hand.aroundLag(func(ctx context.Context) (int64, error) { return backlog(ctx, c) }),
	}, nil
}

// rebuild starts the rebuild of billing's accounts, unless one runs.
func (a *app) rebuild() error {
	b := &rebuild{stream: a.broker.stream, live: a.accounts, every: a.interval, around: func(h handler) handler {
		return a.hands[rebuildKey].around(func(ctx context.Context, m message) error {
			wait(ctx, a.rebuildLag)
			return h(ctx, m)
		})
	}}
	return a.supervisor.start(a.ctx, board.Spec{ID: billingKey, Rebuild: "2", Interval: a.interval}, b.run)
}

func (a *app) leaseHeld() bool { return a.audit != nil && a.audit.IsActive() }

// background runs what is not a processor until the app stops.
func (a *app) background(run func(context.Context) error) {
	a.wg.Go(func() {
		if err := run(a.ctx); err != nil && a.ctx.Err() == nil {
			select {
			case a.fail <- err:
			default:
			}
		}
	})
}

// stop ends everything, waits for it, and removes the files. A handler that
// hangs is freed first: it would not hear of the end.
func (a *app) stop() error {
	var errs []error
	if a.node != nil {
		errs = append(errs, a.node.shut())
	}
	a.end()
	for _, h := range a.hands {
		h.release()
	}
	if a.supervisor != nil {
		a.supervisor.wg.Wait()
	}
	a.wg.Wait()
	if a.metrics != nil {
		errs = append(errs, a.metrics.close())
	}
	if a.broker != nil {
		a.broker.close()
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	if a.node != nil && a.node.clock != nil {
		errs = append(errs, a.node.clock.close())
	}
	return errors.Join(append(errs, os.RemoveAll(a.dir))...)
}
