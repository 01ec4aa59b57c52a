package node

import (
	"context"

	"github.com/loopvitals/loopvitals/check"
)

// Holds makes a check of a function that tells whether something is held, such as
// lock.Held or a lease's IsActive. It is called for every document and should only
// read memory. A nil function is a nil Checker, which Listen refuses.
func Holds(held func() bool) check.Checker {
	if held == nil {
		return nil
	}
	return check.Func(func(context.Context) check.Result {
		if held() {
			return check.Result{Status: check.Healthy}
		}
		return check.Result{Status: check.Unhealthy}
	})
}
