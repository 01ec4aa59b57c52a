package resubscribe

import (
	"context"

	"github.com/loopvitals/loopvitals/check"
)

var _ check.Instant = (*Guard)(nil)

// Instant marks the Guard as a check that reads memory.
func (*Guard) Instant() {}

// Check is Healthy whether or not something is subscribed: what is missing then is
// missed where it is needed. It is Degraded after Config.DegradedAfter presumed losses in
// a row, and while Run makes no call because too many have not returned. It is never
// Unhealthy, but for a Guard that is nil or zero.
//
// The data are key, epoch, sends and presumedLost; inFlightMs, the age of the attempt in
// flight; and nextInMs, in how long the next may begin. What is not known is left out.
func (g *Guard) Check(context.Context) check.Result {
	if !g.made() {
		return check.Result{Err: errNotMade}
	}
	v := g.view()
	r := check.Result{Status: check.Healthy, Description: v.phase.String(), Data: map[string]any{
		"key":          g.config.Key,
		"epoch":        v.Epoch,
		"sends":        v.Sends,
		"presumedLost": v.PresumedLost,
	}}
	if v.InFlight {
		r.Data["inFlightMs"] = v.OldestAge.Milliseconds()
	}
	if v.NextKnown {
		r.Data["nextInMs"] = v.NextIn.Milliseconds()
	}
	losses := v.losses
	if v.InFlight && v.OldestAge > g.config.Ceiling {
		losses++ // it is lost, though nobody has looked since
	}
	switch {
	case v.full:
		r.Status, r.Description = check.Degraded, "calls of subscribe do not return"
	case g.config.DegradedAfter > 0 && losses >= g.config.DegradedAfter:
		r.Status, r.Description = check.Degraded, "no answer to subscribe requests"
	}
	return r
}
