package cluster

import (
	"context"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// Membership is the check for the ready tier of whether this node is a member in
// good standing: what the policy says of its own Status (S1.16 to S1.22). Without a
// valid view, while the cluster is starting, while its engine has not confirmed the
// node in time and when the source panics, it is Degraded under every policy
// (S1.19): an engine that is down must not take all nodes out at once. A node that
// works alone is Healthy.
//
// The description is "Member status: Up" (S1.21) where there is a status. The data
// are, where they are known, selfAddress; memberStatus; upMembers, the number of
// members that are Up; confirmedAgeMs, the age of what the engine last confirmed;
// and fenceRemainingMs, what is left until the node may not act any more.
//
// It is a check.Instant. A nil source, and a policy with a value that is no status,
// make it a check.Invalid.
func Membership(src Source, p StatusPolicy) check.Checker {
	if err := usable(src); err != nil {
		return check.Invalid(err)
	}
	p, err := p.resolved()
	if err != nil {
		return check.Invalid(err)
	}
	return &membership{src, p}
}

type membership struct {
	src    Source
	policy StatusPolicy
}

// Instant marks it as a check that reads memory.
func (*membership) Instant() {}

// Check answers from the newest view.
func (c *membership) Check(context.Context) check.Result {
	now, v, err := read(c.src)
	if err != nil {
		return check.Result{Status: check.Degraded, Description: sourceFailed, Err: err}
	}
	if v == nil {
		v = &View{}
	}
	self, _ := v.Member(v.Self)
	r := check.Result{Status: check.Degraded, Data: membershipData(v, self, now)}
	switch {
	case v.State == NotClustered:
		r.Status, r.Description = check.Healthy, describe(ReasonNotClustered)
	case v.State != Available:
		r.Description = describe(ReasonStarting)
	case now >= v.ValidUntil:
		r.Description = describe(ReasonExpired)
	default:
		r.Status = c.policy.health(self)
		r.Description = "Member status: " + self.Status.String()
	}
	return r
}

// membershipData is the entry's data: what is not known is left out.
func membershipData(v *View, self Member, now Instant) map[string]any {
	data := map[string]any{}
	if v.Self.Address != "" {
		data["selfAddress"] = v.Self.Address
	}
	if v.State != Available {
		return data
	}
	up := 0
	for _, m := range v.Members {
		if m.Status == Up {
			up++
		}
	}
	data["memberStatus"], data["upMembers"] = self.Status.String(), up
	if v.ValidUntil != 0 {
		data["confirmedAgeMs"] = milliseconds(now.Sub(v.ConfirmedAt))
		data["fenceRemainingMs"] = milliseconds(v.ValidUntil.Sub(now))
	}
	return data
}

// milliseconds is a span as data show it; none is negative (X27).
func milliseconds(d time.Duration) int64 { return max(0, d.Milliseconds()) }
