// Package livenesstest helps to test that a program notices when one of its
// loops wedges: it holds a loop fast at a place of the test's choosing, and asks
// a Monitor what it makes of that.
//
//	var wedge livenesstest.Wedge
//	go liveness.Run(ctx, orders, func(ctx context.Context) error {
//		for ctx.Err() == nil {
//			wedge.Pass() // inside the handler
//			orders.Beat()
//		}
//		return ctx.Err()
//	})
//
//	wedge.Drive()
//	livenesstest.AwaitVerdict(t, monitor, "orders", liveness.Stale, 10*time.Second)
//	wedge.Release()
//	livenesstest.AwaitVerdict(t, monitor, "orders", liveness.Running, time.Second)
//
// In a testing/synctest bubble the ten seconds pass at once. With a mock clock,
// move the clock and use RequireVerdict.
package livenesstest
