package check

import "context"

// Ping is a Checker over a function such as (*sql.DB).PingContext: Healthy
// "reachable", or Unhealthy "unreachable" with the error for the log only
// (S1.12).
func Ping(ping func(context.Context) error) Checker {
	return Func(func(ctx context.Context) Result {
		if err := ping(ctx); err != nil {
			return Result{Status: Unhealthy, Description: "unreachable", Err: err}
		}
		return Result{Status: Healthy, Description: "reachable"}
	})
}
