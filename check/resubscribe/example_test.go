package resubscribe_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// The common case: a function that sends the request and waits for its answer. Here the
// gateway refuses twice.
func Example() {
	guard, err := resubscribe.New(resubscribe.Config{Key: "gateway-a", Floor: time.Millisecond, Max: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = guard.Run(ctx, func(_ context.Context, a resubscribe.Attempt) error {
		if a.ID < 3 {
			fmt.Println("attempt", a.ID, "is refused")
			return errors.New("the gateway is starting")
		}
		fmt.Println("attempt", a.ID, "is subscribed")
		time.AfterFunc(10*time.Millisecond, cancel) // the service ends
		return nil
	})
	fmt.Println(guard.Check(context.Background()).Description, err)
	// Output:
	// attempt 1 is refused
	// attempt 2 is refused
	// attempt 3 is subscribed
	// subscribed <nil>
}

// A request whose answer comes another way, such as over a message bus: the request
// carries the ID of its attempt, and so does the answer.
func ExampleErrPending() {
	guard, err := resubscribe.New(resubscribe.Config{Key: "gateway-a"})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus := make(chan uint64, 1)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		_ = guard.Run(ctx, func(_ context.Context, a resubscribe.Attempt) error {
			bus <- a.ID
			return resubscribe.ErrPending
		})
	})
	id := <-bus
	fmt.Println("an answer to another attempt:", guard.Succeed(id+1))
	fmt.Println("the answer:", guard.Succeed(id))
	fmt.Println("the answer once more:", guard.Succeed(id))
	cancel()
	ended.Wait()
	// Output:
	// an answer to another attempt: false
	// the answer: true
	// the answer once more: false
}

// A loop that has a timer of its own, such as an actor, asks before it sends, and is told
// when to ask again.
func ExampleGuard_Begin() {
	guard, err := resubscribe.New(resubscribe.Config{Key: "gateway-a", Floor: time.Minute, Max: time.Hour, NoJitter: true, Ceiling: 10 * time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, wait, ok := guard.Begin()
	fmt.Println("send attempt", a.ID, ok, "and ask again in", wait)
	_, wait, ok = guard.Begin()
	fmt.Println("send another", ok, "and ask again in", wait)
	guard.Fail(a.ID, errors.New("no route to the gateway"))
	_, wait, ok = guard.Begin()
	fmt.Println("send another", ok, "and ask again in", wait.Round(time.Minute))
	// Output:
	// send attempt 1 true and ask again in 1m0s
	// send another false and ask again in 1m0s
	// send another false and ask again in 1m0s
}

// The delays alone.
func ExampleBackoff_Next() {
	exact := resubscribe.Backoff{NoJitter: true}
	for _, failures := range []int{1, 2, 3, 4, 5, 200} {
		fmt.Println("after", failures, "in a row:", exact.Next(failures, 0))
	}
	var jittered resubscribe.Backoff
	fmt.Println("with jitter after 2:", jittered.Next(2, 0), "to", jittered.Next(2, 1))
	// Output:
	// after 1 in a row: 5s
	// after 2 in a row: 10s
	// after 3 in a row: 20s
	// after 4 in a row: 40s
	// after 5 in a row: 1m0s
	// after 200 in a row: 1m0s
	// with jitter after 2: 8s to 12s
}

// unresolved is what a gateway has not found yet; it may be there later.
type unresolved struct {
	mu    sync.Mutex
	items map[string]bool
}

var errUnresolved = errors.New("some items are not resolved yet")

// add notes items that were not found.
func (u *unresolved) add(items ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, item := range items {
		u.items[item] = true
	}
}

// resolve asks for each, and keeps those that are not found.
func (u *unresolved) resolve(found func(item string) bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for item := range u.items {
		if found(item) {
			delete(u.items, item)
		}
	}
	if len(u.items) > 0 {
		return errUnresolved
	}
	return nil
}

// The same type asks again for items that a gateway could not resolve: the attempt fails
// as long as some are left, and what was resolved stays so (S3.15). In a service the
// floor is 10 s and the maximum 5 min.
func ExampleGuard_unresolvedItems() {
	retry, err := resubscribe.New(resubscribe.Config{Key: "unresolved", Floor: time.Millisecond, Max: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	left := &unresolved{items: map[string]bool{}}
	left.add("pump.speed", "valve.open")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_ = retry.Run(ctx, func(_ context.Context, a resubscribe.Attempt) error {
		err := left.resolve(func(item string) bool { return item == "pump.speed" || a.ID == 3 })
		fmt.Println("attempt", a.ID, "leaves", len(left.items))
		if err == nil {
			cancel() // a service goes on, and calls retry.Resubscribe when there are more
		}
		return err
	})
	// Output:
	// attempt 1 leaves 1
	// attempt 2 leaves 1
	// attempt 3 leaves 0
}

// TestUnresolvedItems is the retry of unresolved items in its real times: 10 s, doubling,
// 5 min at most, at the floor again for new ones, and never more than one under way.
func TestUnresolvedItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry, err := resubscribe.New(resubscribe.Config{Key: "unresolved", Floor: 10 * time.Second, Max: 5 * time.Minute, NoJitter: true})
		if err != nil {
			t.Fatal(err)
		}
		left := &unresolved{items: map[string]bool{}}
		left.add("a", "b")
		start := time.Now()
		there := start.Add(20 * time.Minute)
		var at []time.Duration
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() {
			_ = retry.Run(ctx, func(context.Context, resubscribe.Attempt) error {
				at = append(at, time.Since(start).Round(time.Second))
				return left.resolve(func(item string) bool { return item == "a" || time.Now().After(there) })
			})
		})
		time.Sleep(30 * time.Minute)
		left.add("c")
		there = time.Now().Add(time.Minute)
		retry.Resubscribe()
		time.Sleep(30 * time.Minute)
		cancel()
		ended.Wait()
		// 10 20 40 80 160 300 300 300 s apart up to 20 min; then anew from 30 min on.
		want := "[0s 10s 30s 1m10s 2m30s 5m10s 10m10s 15m10s 20m10s 30m0s 30m10s 30m30s 31m10s]"
		if got := fmt.Sprint(at); got != want {
			t.Errorf("attempts at %v, want %v", got, want)
		}
	})
}
