// Package resubscribe keeps a consumer from making a slow or dead gateway worse. A
// Guard stands in front of the subscribe call of one connection: it has one request in
// flight, gives up on an answer that does not come, and waits longer after each request
// that brought nothing.
//
//	guard, err := resubscribe.New(resubscribe.Config{Key: "gateway-a"})
//	...
//	go guard.Run(ctx, func(ctx context.Context, _ resubscribe.Attempt) error {
//		return gateway.Subscribe(ctx, items)
//	})
//	...
//	guard.Restore() // whenever the connection is there again
//
// # An attempt
//
// An attempt is one request with an id of its own. It ends in one of four ways: its
// answer is good (Succeed) or bad (Fail), there is no answer within the ceiling and it
// is presumed lost, or it is superseded because its connection was restored or the
// Guard was stopped. Once it has ended, an answer to it changes nothing.
//
// # Guarantees
//
//  1. While an attempt is in flight and younger than the ceiling there is no other one
//     of the same connection.
//  2. Two attempts are never closer than the floor, whatever else happens: failures,
//     restores, and calls of any number of goroutines.
//  3. A lost answer stops nothing: past the ceiling there is another attempt, however
//     long the back-off has become, within the bound of 5.
//  4. Nothing begins after Stop, save a call that was being made at that moment, nor
//     after a success until Restore or Resubscribe.
//  5. A Guard has no goroutine of its own. Run uses the caller's, and one for each call
//     of the function it is given. A function that panics has failed, one that never
//     returns costs its goroutine, and of these there are eight at most.
//  6. All methods may be called by any goroutine.
//
// # Time
//
// Times are those of Go's timers, which do not follow the calendar and which
// testing/synctest replaces in a test; so there is no clock to inject. They stand still
// while the host sleeps, which makes a wait longer and never shorter.
package resubscribe
