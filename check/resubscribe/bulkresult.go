package resubscribe

import (
	"errors"
	"fmt"
)

// errNoSubscriber is the result of a Subscriber that was not made by
// NewSubscriber.
var errNoSubscriber = errors.New("resubscribe: subscriber nil: must be made by NewSubscriber")

// Result is what became of one item. The handle is 0 with an error.
type Result struct {
	Item   string
	Handle Handle
	Err    error
}

// settle takes the answer about the item.
func (r *Result) settle(a Added) {
	r.Handle, r.Err = a.Handle, a.Err
	if a.Err != nil {
		r.Handle = 0
	}
}

// Results are those of one call, one for each item, in their order.
type Results []Result

// Failed returns the items that are not subscribed, in their order: those that a
// retry asks for.
func (r Results) Failed() []string {
	var failed []string
	for _, result := range r {
		if result.Err != nil {
			failed = append(failed, result.Item)
		}
	}
	return failed
}

// Err returns nil when every item is subscribed, and otherwise how many are not
// and why the first of them is not.
func (r Results) Err() error {
	failed := r.Failed()
	for _, result := range r {
		if result.Err != nil {
			return fmt.Errorf("resubscribe: %d of %d items failed, the first is %q: %w", len(failed), len(r), result.Item, result.Err)
		}
	}
	return nil
}
