package resubscribe

import (
	"context"
	"errors"
	"fmt"
)

// errClient is wrapped by the outcome of a call to code of others that did not
// end as it has to, which says nothing about the peer.
var errClient = errors.New("resubscribe: the client is broken")

// miscounted is the error of a client that did not answer for each item.
func miscounted(answers, items int) error {
	return fmt.Errorf("%w: %d answers for %d items", errClient, answers, items)
}

// reply is how a call ended.
type reply[T any] struct {
	index int
	value T
	err   error
}

// each calls f for every index below n, each call in a goroutine of its own which
// holds one of the slots, and returns how they ended, in order. When ctx ends, it
// returns with the cause for all calls that have not returned or not begun. Those
// that stay keep their slots, so that their number is bounded, whatever happens.
func each[T any](ctx context.Context, slots chan struct{}, n int, f func(index int) (T, error)) []reply[T] {
	replies := make([]reply[T], n)
	ended := make([]bool, n)
	results := make(chan reply[T], n) // nobody may be there for the last ones
	keep := func(r reply[T]) {
		// What a call says once it was told to end is no word of the peer.
		if r.err == nil || ctx.Err() == nil {
			replies[r.index], ended[r.index] = r, true
		}
	}
	for begun, open := 0, n; open > 0 && ctx.Err() == nil; {
		free := slots
		if begun == n {
			free = nil
		}
		select {
		case <-ctx.Done():
		case r := <-results:
			keep(r)
			open--
		case free <- struct{}{}:
			go protect(begun, f, func(r reply[T]) {
				<-slots
				results <- r
			})
			begun++
		}
	}
	for range len(results) { // those that succeeded as ctx ended
		keep(<-results)
	}
	for i := range replies {
		if !ended[i] {
			replies[i] = reply[T]{index: i, err: context.Cause(ctx)}
		}
	}
	return replies
}

// protect calls f and gives done exactly one outcome, whatever f does: return,
// panic, or end the goroutine. In the last case done runs while that unwinds.
func protect[T any](index int, f func(index int) (T, error), done func(reply[T])) {
	r := reply[T]{index: index, err: fmt.Errorf("%w: the call ended its goroutine", errClient)}
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("%w: panic: %v", errClient, p)
		}
		done(r)
	}()
	r.value, r.err = f(index)
}
