package redundancy

import (
	"context"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Prober tries the endpoint of a peer: nil when it answers. It returns soon after
// ctx has ended.
type Prober func(ctx context.Context, peer cluster.Member) error

// ProbeOutcome is what came of one probe of a peer.
type ProbeOutcome uint8

const (
	// ProbeOK is an endpoint that answered.
	ProbeOK ProbeOutcome = iota
	// ProbeFailed is one that did not, such as by refusing the connection.
	ProbeFailed
	// ProbeTimeout is one that said nothing in time, as behind a firewall.
	ProbeTimeout

	probeOutcomeCount = int(ProbeTimeout) + 1
)

// String returns the outcome as metrics show it.
func (o ProbeOutcome) String() string {
	return [...]string{"ok", "failed", "timeout"}[min(int(o), probeOutcomeCount-1)]
}
