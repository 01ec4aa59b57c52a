// Package liveness judges what loops have written on a board: which of them are
// well, which are wedged, and since when. It records nothing and changes
// nothing.
//
// # Usage
//
// One Monitor watches one board and enters a tier as a check.Checker:
//
//	b := board.New()
//	orders := b.MustRegister(board.Spec{ID: "orders", Interval: 250 * time.Millisecond})
//
//	loops, err := liveness.NewMonitor(b)
//	if err != nil {
//		return err
//	}
//	go loops.Run(ctx)
//	health.AddReady("processors", loops)
//
//	err = liveness.Run(ctx, orders, consume) // a panic or an error is a fault
//
// # Verdicts
//
// A verdict is a status with a reason. Of several reasons the first in this
// table is shown; S5.13 to S5.17 are its source.
//
//	reason         status     when
//	faulted        Unhealthy  the loop stopped for good
//	never_started  Unhealthy  unreported for longer than StartWithin, if that is set
//	stuck          Unhealthy  Busy for longer than the unit's limit, or BusyLimit
//	stale          Unhealthy  Running, and the last beat is older than StaleAfter
//	observer_late  Degraded   one of the three above, but see below
//	stalled        Degraded   a line's position unchanged for StalledAfter, and it lags
//	starved        Degraded   Idle for longer than StaleAfter, with lag
//	lagging        Degraded   lag above DegradedLag, and not a rebuild
//	unreported     Healthy    nothing reported since registration or restart
//	running        Healthy    beats in time
//	idle           Healthy    waits for input, at any age
//	busy           Healthy    works on a unit, within its limit
//	standby        Healthy    another replica does the work, at any age
//	paused         Healthy    held on purpose, at any age
//	stopped        Healthy    ended on purpose, at any age
//
// Every bound is strict: at exactly the bound nothing has happened yet. Lag
// counts only in Running, Idle and Busy, and outranks nothing: a small lag never
// makes a silent loop healthy.
//
// A processor with workers is as well as the worst of its lines that reported
// anything, or of its workers that should have and never did, and the verdict
// names the worker. Its age is that of the oldest beat
// that must be followed by another; its lag is its own line's, or else the sum
// of the workers'. While its own line is in Standby, Paused or Stopped, the
// workers need not beat.
//
// Each verdict has a text, which names the processor and holds no cause:
//
//	faulted        Processor 'id' faulted and stopped
//	never_started  Processor 'id' did not start within 30s
//	stuck          Processor 'id' has been busy for 12.5s, limit 10s — possible wedge
//	stale          Processor 'id' last reported 7.3s ago — possible wedge
//	observer_late  Processor 'id' last reported 7.3s ago — the observer was late
//	stalled        Processor 'id' does not move and is 25 events behind
//	starved        Processor 'id' waits for input and is 25 events behind
//	lagging        Processor 'id' is 25 events behind
//	unreported     Processor 'id' has not reported
//	running        Processor 'id' is running (likewise idle, busy, paused, stopped)
//	standby        Processor 'id' is on standby
//
// Times in texts are rounded to 100 ms. With a worker it reads "Processor 'id'
// worker 'name' …".
//
// # The observer doubts itself first
//
// A process that was frozen, or had no CPU, sees old beats when it wakes. While
// Monitor.Run runs, it knows: it ticks every 100 ms, and was late when a tick
// came more than five ticks after the one before, or is overdue by that much. A
// processor that would then be stale, stuck or never started is observer_late,
// until one bound after the resume. It is a grace, once for each silence: it
// runs from the first resume after the processor's last report, and neither
// another freeze nor a slow observer renews it before the processor reports
// again. So a freeze makes no false wedge, and a true one is found within one
// bound of the resume. Without Run there is no grace.
//
// # Guarantees under concurrency
//
//  1. Policy.Judge is pure. A Monitor computes each verdict when asked, so
//     asking often, or from many places, changes none.
//  2. All verdicts of one pass rest on one reading of the clock.
//  3. Judging takes no lock of its own and runs no code of the user's. Hooks and
//     loggers run in a goroutine of Run's, under recover, and delay no verdict.
//  4. No constructor starts a goroutine. Run starts at most one and joins it.
//
// # What it does not do
//
// It restarts nothing: that is for a supervisor, or for an orchestrator by way
// of Monitor.Wedged. It keeps no history. It cannot tell a slow dependency from
// a wedge before the bound has passed, and it knows nothing of a loop that was
// never registered.
//
// # Testing with it
//
// Judge needs no clock. Package livenesstest wedges loops and requires verdicts;
// with testing/synctest, or a mock clock given to the board, no test has to
// sleep.
package liveness
