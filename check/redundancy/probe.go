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
	ProbeOK ProbeOutcome = iota
	ProbeFailed
	ProbeTimeout

	probeOutcomeCount = int(ProbeTimeout) + 1
)

// String returns the outcome as metrics show it.
func (o ProbeOutcome) String() string {
	return [...]string{"ok", "failed", "timeout"}[min(int(o), probeOutcomeCount-1)]
}
