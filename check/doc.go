// Package check says what a check is and runs it for all who ask.
//
// A Checker answers one question about the process: is the database there, is
// this node active, do the loops turn. A Runner stands between a Checker and
// those who ask, so that a storm of probes never reaches a dependency, and a
// dependency that hangs never reaches a probe.
//
// # Usage
//
//	database, err := check.NewRunner("database", check.SQL(db), check.Sampling{})
//	if err != nil { … } // a nil handle, a negative limit, …
//	result := database.Check(ctx)
//
// Applications seldom make a Runner themselves: the tiers package does it for
// each check that is added to a tier.
//
// The package brings checks for what most applications need: Ping over any
// function, SQL and Database, HTTP and TCP. A check of your own is a Func, or
// a type with a Check method. It should end when its context does; where it
// does not, the Runner contains it.
//
// # Guarantees
//
//  1. A run belongs to the check, not to a request. At most one is in flight,
//     and all who ask meanwhile share it. It has a limit of its own, 800 ms by
//     default, and a caller that goes away neither cancels it nor leaves a
//     trace in its result: that caller alone is answered Unhealthy.
//  2. A result also answers those who ask within the reuse time, 500 ms by
//     default. Its age counts from the start of its run, so reuse delays a
//     change by that much at most. A caller who joins a run in flight gets
//     what that run found, which may have looked up to one limit earlier. A
//     timeout is not reused.
//  3. A run that has not returned at its limit is hung. From then on the check
//     is Unhealthy, "timeout", for everybody and at once, until the run
//     returns; the next caller then starts a fresh one. What a run says at its
//     limit or later is dropped. A hung run costs exactly one goroutine,
//     however many ask; it carries the profiler's label check=NAME.
//     Sampling.AbandonAfter allows one more run beside it.
//  4. A result older than its maximum age is Unhealthy, whatever it said.
//  5. A check that panics or ends its goroutine is Unhealthy, "panic". The
//     same in a log handler or an observer is nobody's fault but its own.
//     Nothing contains what ends the process, such as a concurrent map write
//     or an exhausted stack.
//  6. No lock is held while a check, a hook or a caller's context is called,
//     and each may call any method of the Runner. A check that asks for its
//     own answer, also by way of another check, gets Unhealthy, "failed", at
//     once where it passes its context on, and "timeout" at the limit where
//     it does not.
//  7. Result.Err goes to the log hook and nowhere else. A Description is the
//     author's own text or a class: failed, timeout, panic.
//
// # Instant checks
//
// A Checker that only reads memory marks itself as Instant. It is evaluated
// afresh for each caller and its results are not reused; past 1024 evaluations
// at the same time callers share the newest. Each evaluation has a goroutine
// of its own: runtime.Goexit cannot be stopped, so in the caller's goroutine
// it would take the caller with it. With its timer that makes an evaluation
// some five times as dear as handing work to a goroutine and back, a few
// microseconds in all; a result that is reused costs a tenth of it.
// The limit holds for Instant checks too: while an evaluation is hung nobody
// waits for another.
//
// # What it does not do
//
// There is no retry and no hysteresis: each sample stands for itself, and how
// many bad ones take a node out is for the prober to say. Nothing runs unless
// somebody asks, except under Runner.Run.
package check
