package liveness_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/liveness"
)

// A loop that stops going round is stale once its bound has passed. The mock
// clock stands for the time that goes by.
func Example() {
	clock := clock.NewMock()
	b := board.New(board.WithClock(clock))
	orders := b.MustRegister(board.Spec{ID: "orders", Interval: 250 * time.Millisecond})

	loops, err := liveness.NewMonitor(b)
	if err != nil {
		fmt.Println(err)
		return
	}

	orders.BeatLag(0) // one turn of the loop, and then it hangs
	clock.Add(5 * time.Second)
	fmt.Println(loops.Check(context.Background()).Status)
	clock.Add(2300 * time.Millisecond)
	fmt.Println(loops.Check(context.Background()).Description)
	// Output:
	// Healthy
	// Processor 'orders' last reported 7.3s ago — possible wedge
}

// Judge is a pure function: a policy can be tried out without a board, a clock or
// a loop.
func ExamplePolicy_Judge() {
	p := liveness.Policy{BusyLimit: 30 * time.Second, DegradedLag: 10_000}
	seen := board.Observation{Key: "orders", Interval: 250 * time.Millisecond}

	seen.State, seen.Age = board.Busy, 30*time.Second
	fmt.Println(p.Judge(seen, liveness.Watch{}).Reason)
	seen.Age++
	fmt.Println(p.Judge(seen, liveness.Watch{}).Reason)
	seen.State, seen.Age, seen.Lag, seen.LagKnown = board.Running, time.Second, 25_000, true
	fmt.Println(p.Judge(seen, liveness.Watch{}).Text())
	// Output:
	// busy
	// stuck
	// Processor 'orders' is 25000 events behind
}

// The zero Policy is the default one; Resolve shows what that means for a
// processor.
func ExamplePolicy_Resolve() {
	fmt.Println(liveness.Policy{}.Resolve(250 * time.Millisecond).StaleAfter)
	fmt.Println(liveness.Policy{}.Resolve(10 * time.Second).StaleAfter)
	// Output:
	// 5s
	// 50s
}

// Run tells the end of a loop to the board, so that a loop which gave up is seen
// at once and not only when its silence has lasted too long.
func ExampleRun() {
	b := board.New()
	orders := b.MustRegister(board.Spec{ID: "orders"})
	loops, _ := liveness.NewMonitor(b)

	err := liveness.Run(context.Background(), orders, func(context.Context) error {
		orders.Beat()
		return errors.New("no such table: orders")
	})
	fmt.Println(err)

	// What clients are shown names the processor and keeps the cause.
	fmt.Println(loops.Check(context.Background()).Description)
	// Output:
	// no such table: orders
	// Processor 'orders' faulted and stopped
}

// WithPolicyFor gives one processor bounds of its own.
func ExampleWithPolicyFor() {
	b := board.New()
	b.MustRegister(board.Spec{ID: "nightly", Interval: time.Hour})

	_, err := liveness.NewMonitor(b, liveness.WithPolicyFor("nightly", liveness.Policy{StaleAfter: time.Minute}))
	fmt.Println(err)
	_, err = liveness.NewMonitor(b, liveness.WithPolicyFor("nightly", liveness.Policy{StaleAfter: 26 * time.Hour}))
	fmt.Println(err)
	// Output:
	// liveness: policy for "nightly": StaleAfter 1m0s: must not be shorter than the interval 1h0m0s
	// <nil>
}

// Wedged is for the restart tier: it wants a processor to be lost for a minute
// at least.
func ExampleMonitor_Wedged() {
	clock := clock.NewMock()
	b := board.New(board.WithClock(clock))
	b.MustRegister(board.Spec{ID: "orders"}).Busy()
	loops, _ := liveness.NewMonitor(b)
	var wedged check.Checker = loops.Wedged(0)

	clock.Add(time.Minute)
	fmt.Println(loops.Check(context.Background()).Status, wedged.Check(context.Background()).Status)
	clock.Add(time.Minute)
	fmt.Println(loops.Check(context.Background()).Status, wedged.Check(context.Background()).Status)
	// Output:
	// Unhealthy Healthy
	// Unhealthy Unhealthy
}
