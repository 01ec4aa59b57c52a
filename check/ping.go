package check

import "context"

// The Descriptions of the checks that reach for something. They are fixed
// texts: what a driver says in its error may hold an address or a password.
const (
	reachable   = "reachable"
	unreachable = "unreachable"
)

// Ping is a Checker over any function that tells whether something can be
// reached, such as db.PingContext or pool.Ping: Healthy "reachable", or
// Unhealthy "unreachable" with the error for the log only (S1.12). A nil
// function gives a nil Checker, which NewRunner refuses.
func Ping(ping func(context.Context) error) Checker {
	if ping == nil {
		return nil
	}
	return Func(func(ctx context.Context) Result { return reached(ping(ctx)) })
}

// reached is the Result of trying to reach something.
func reached(err error) Result {
	if err != nil {
		return Result{Status: Unhealthy, Description: unreachable, Err: err}
	}
	return Result{Status: Healthy, Description: reachable}
}
