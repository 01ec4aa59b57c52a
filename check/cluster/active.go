package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// ActivePolicy is how an Active check answers. The zero ActivePolicy asks for the
// oldest of all members and is patient while the cluster starts.
type ActivePolicy struct {
	// Roles are the scope: the first of them that the node holds decides
	// (S1.25). None is the whole cluster (S1.24).
	Roles []string
	// NoActiveRoleStatus is the answer of a node that holds none of Roles. The
	// zero value is Unhealthy: such a node does no active work and does not
	// belong in the pool (S1.26).
	NoActiveRoleStatus check.Status
	// StartWithin is how long after Active was called the cluster may be
	// starting; past it the answer is Unhealthy (X2). 0 is for ever. It is
	// measured on the clock of the source.
	StartWithin time.Duration
}

// Active is the check for the active tier of whether this node is the active one,
// by the rule of Decide (S1.23 to S1.33). Active is Healthy, a node that works alone
// too, and everything else Unhealthy, with two exceptions: a node without the roles
// asked for, and a cluster that is starting. The latter is Degraded, a 200, so that
// a booting node is no failed standby (S1.27); once the cluster has been available,
// to lose it is Unhealthy for good, since another node may be active by then.
//
// The data are reason, the Reason; and, where they are known, selfAddress;
// activeNode, the address of the active node; and activeRole, the role that
// decided. They are there on every status, so either node's answer shows the pair
// (S1.32).
//
// It is a check.Instant. A nil source, a role that is not valid, a value that is no
// status and a negative StartWithin make it a check.Invalid. A source that panics
// makes it Unhealthy.
func Active(src Source, p ActivePolicy) check.Checker {
	if err := p.usable(src); err != nil {
		return check.Invalid(err)
	}
	c := &active{src: src, policy: p}
	c.policy.Roles = slices.Clone(p.Roles)
	if now, v, err := read(src); err == nil {
		c.patient(Decide(v, now), now)
	}
	return c
}

// usable names what is wrong with the policy or the source.
func (p *ActivePolicy) usable(src Source) error {
	if err := usable(src); err != nil {
		return err
	}
	if err := ValidateRoles(p.Roles); err != nil {
		return err
	}
	if s := p.NoActiveRoleStatus; s != s.Known() {
		return fmt.Errorf("cluster: no active role status %v: must be Unhealthy, Degraded or Healthy", s)
	}
	if p.StartWithin < 0 {
		return fmt.Errorf("cluster: start within %v: must not be negative", p.StartWithin)
	}
	return nil
}

type active struct {
	src    Source
	policy ActivePolicy

	mu       sync.Mutex
	watching bool    // since is set
	since    Instant // when the wait for the cluster began
	started  bool    // the cluster was available once
}

// Instant marks it as a check that reads memory.
func (*active) Instant() {}

// Check decides on the newest view.
func (c *active) Check(context.Context) check.Result {
	now, v, err := read(c.src)
	if err != nil {
		return check.Result{Description: sourceFailed, Err: err}
	}
	d := Decide(v, now, c.policy.Roles...)
	return check.Result{
		Status:      c.status(d, now),
		Description: describe(d.Reason),
		Data:        activeData(d),
	}
}

// status is the health of a node about which d was decided at now.
func (c *active) status(d Decision, now Instant) check.Status {
	patient := c.patient(d, now)
	switch {
	case d.Active:
		return check.Healthy
	case d.Reason == ReasonNoRole:
		return c.policy.NoActiveRoleStatus
	case d.Reason == ReasonStarting && patient:
		return check.Degraded
	default:
		return check.Unhealthy
	}
}

// patient tells whether the cluster may still be starting at now, and remembers
// for good that it was not.
func (c *active) patient(d Decision, now Instant) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watching {
		c.watching, c.since = true, now
	}
	c.started = c.started || d.Reason != ReasonStarting
	return !c.started && (c.policy.StartWithin == 0 || now.Sub(c.since) <= c.policy.StartWithin)
}

// activeData is the entry's data: what is not known is left out.
func activeData(d Decision) map[string]any {
	data := map[string]any{"reason": d.Reason.String()}
	for name, value := range map[string]string{
		"selfAddress": d.Self.Address,
		"activeRole":  d.Role,
		"activeNode":  d.Holder.Address,
	} {
		if value != "" {
			data[name] = value
		}
	}
	return data
}
