package redundancy

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// The sites that every Node has (S4.29).
const (
	// SiteWrite is a write to what the nodes share. A denied one is rejected at
	// once and never queued (S4.30).
	SiteWrite = "write"
	// SiteAck is an acknowledgement that reaches what the nodes share. A denied
	// one is dropped, with a warning while the role is unknown (S4.31).
	SiteAck = "ack"
	// SiteAlarmEmit is the emission of an alarm. A denied one is skipped. To
	// evaluate the alarm needs no gate: a warm standby does it too (S4.33).
	SiteAlarmEmit = "alarm-emit"
)

// maxSiteBytes is the longest name of a site.
const maxSiteBytes = 64

// Site is the primary gate at one kind of operation: it serves on the primary and
// denies everywhere else, by the table of S4.26. It serves never where the cluster's
// own Gate of the role would not. It reads the view and the newest snapshot anew for
// every call, and nothing that it denies is queued.
//
// It is a tiers.Gate, a tiers.Admitter and a tiers.Locator. All methods may be
// called by any goroutine. A nil Site denies with DeniedRoleUnknown.
type Site struct {
	name string
	gate *gate
}

// Allow returns nil when the operation may go on now, else a *DeniedError, counted.
// The answer may be old when it is used; work that must not outlive it goes through
// Acquire or Enter. Cost when it serves: one reading of the clock and a walk over the
// members, no allocation.
func (s *Site) Allow() error {
	if s == nil || s.gate == nil {
		return &DeniedError{Denial: DeniedRoleUnknown}
	}
	if why := s.gate.look().denial(); why != NotDenied {
		return s.gate.deny(s.name, why)
	}
	return nil
}

// IsActive tells what Allow would, and counts nothing.
func (s *Site) IsActive() bool {
	return s != nil && s.gate != nil && s.gate.look().denial() == NotDenied
}

// ActiveNode returns the address of the primary, which may be this node. It is not
// known while nobody is, while this node has no valid view, and while it would be
// this one but may not serve.
func (s *Site) ActiveNode() (address string, known bool) {
	if s == nil || s.gate == nil {
		return "", false
	}
	return s.gate.look().primary()
}

// Acquire lets one unit of work in, as a write: it is Allow and then
// cluster.Gate.Acquire. The context that it returns has the fence as its deadline and
// carries the cluster.Token for the resource; a node that leaves waits for release.
// Denied, the error is a *DeniedError, the context has ended with it as its cause, and
// release does nothing.
func (s *Site) Acquire(ctx context.Context) (work context.Context, release func(), err error) {
	return s.admit(ctx, (*cluster.Gate).Acquire)
}

// Enter lets in work that lasts, as a request or a stream: it is Allow and then
// cluster.Gate.Enter. Everything else is as with Acquire, but the context ends at the
// last fence only.
func (s *Site) Enter(ctx context.Context) (work context.Context, release func(), err error) {
	return s.admit(ctx, (*cluster.Gate).Enter)
}

// admission is a way into the cluster's gate.
type admission func(*cluster.Gate, context.Context) (context.Context, func(), error)

// admit asks twice: what is denied here never troubles the source, which counts all
// work that it is asked about, and what its gate stops after that has lost the role
// in between.
func (s *Site) admit(ctx context.Context, in admission) (context.Context, func(), error) {
	if err := s.Allow(); err != nil {
		return refused(ctx, err)
	}
	work, release, err := in(s.gate.cluster, ctx)
	if err != nil {
		return refused(ctx, s.gate.deny(s.name, DeniedRoleUnknown))
	}
	return work, release, nil
}

// refused is what a denied caller gets: whoever overlooks the error finds that the
// context has ended.
func refused(ctx context.Context, err error) (context.Context, func(), error) {
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	ended, cancel := context.WithCancelCause(ctx)
	cancel(err)
	return ended, func() {}, err
}

// siteNames returns the names of all sites: the three, and the user's own. It refuses
// what would make no label of a metric, or two the same.
func siteNames(own []string) ([]string, error) {
	names := []string{SiteWrite, SiteAck, SiteAlarmEmit}
	for i, name := range own {
		if bound := siteBound(name); bound != "" {
			return nil, fmt.Errorf("redundancy: sites %d %.80q: must %s", i, name, bound)
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("redundancy: sites %d %q: must not repeat another site", i, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// siteBound says which bound a name breaks, or nothing.
func siteBound(name string) string {
	if len(name) > maxSiteBytes {
		return fmt.Sprintf("have at most %d bytes", maxSiteBytes)
	}
	return nameBound(name)
}
