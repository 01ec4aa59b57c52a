// Package board is a lock-free observation board: long-running loops write onto
// it what they do, and readers see it. It records facts and judges nothing.
//
// # Usage
//
// Register every loop once, and report from inside it:
//
//	b := board.New()
//	orders := b.MustRegister(board.Spec{ID: "orders", Interval: 250 * time.Millisecond})
//	for ctx.Err() == nil {
//		orders.BeatLag(poll(ctx)) // "I went round, and am so far behind"
//	}
//
// A loop that waits for input without a bound says Idle before; one that works
// on a unit for long says Busy and Done; one that does not run here says
// Standby, Pause or Stop; one that gave up says Fault, and only Restart begins
// anew. The methods of Reporter say where each leads.
//
// # Guarantees under concurrency
//
//  1. A report takes effect at one instant and as a whole. State, stamp, lag and
//     the limit of a unit are never mixed from two reports. Per processor,
//     reports, Restart, Close and reads are linearizable. Position, and the
//     number of beats, are registers of their own.
//  2. No report blocks, waits, takes a lock or allocates, and none is dropped
//     because another is in progress. A report that is stalled half-way stops
//     neither readers nor other reports. With more than three stalled lag
//     reports of one processor its lag may become unknown, never wrong.
//  3. A fault is never lost and never overwritten. A late report changes
//     nothing of an incarnation that ended, nor of its successor.
//  4. A read costs no lock and no allocation, except the first one after
//     processors were registered or closed. A read that a report disturbs
//     begins anew, so readers are lock-free, not wait-free.
//  5. A processor with workers is read part by part: each part held at some
//     moment of the read.
//
// Less formally: report from wherever you like, as often as you like.
//
// # What it does not do
//
// It does not say whether a processor is well (package liveness does), start or
// restart anything, keep history, or survive the process. Until its first
// report a processor is Unreported, which is no fault.
//
// # Testing with it
//
// WithClock takes a mock clock; under testing/synctest the default clock is
// already a fake one. Package liveness/livenesstest wedges loops and requires
// verdicts.
package board
