package node

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// Source says where the facts about a node are. Each is asked anew for every
// document, under a limit of its own and never twice at the same time. One that
// panics, ends its goroutine or does not answer within a second is reported as
// false, and the document as failed.
//
// An answer of Healthy or Degraded is a yes: as on the tiers, Degraded takes
// nothing out. A check.Runner is asked for its sample and Tier for those of the
// tier's checks, so what they reuse is reported with its true age.
type Source struct {
	// Node is the configured name, which an adapter compares byte by byte (S2.3).
	// Valid UTF-8 of 1 to 200 bytes without control or format characters. Required.
	Node string
	// Instance is new with every start of the node, under the same rules. Empty:
	// a random one, made by Listen.
	Instance string
	// Healthy is no when only a restart would help: monitor.Wedged(0), or
	// Tier(set, tiers.Wedged). Liveness depends on it, so no dependency belongs
	// here (S2.5). Required.
	Healthy check.Checker
	// Owner is yes while the node holds what it works on: its data, its lease, its
	// lock. Liveness depends on it (S2.5). Holds makes one of a function. Required:
	// a node that owns nothing says so.
	Owner check.Checker
	// Ready is whether the node itself would take new work: Tier(set, tiers.Ready).
	// An adapter is never readier (S2.4). A bare checker of a dependency that hangs
	// fails the whole document, liveness included; a Tier or a check.Runner keeps
	// that to Ready. A yes that is older than 1.5 s counts as a no, and is logged:
	// results that are reused for longer are of no use here. Required.
	Ready check.Checker
	// Ingress is what comes in: an Ingress, or the application's own. Required.
	Ingress Gauge
}

// Gauge reads how loaded a node's ingress is. Its methods are called by one
// goroutine each, at the same time, and should only read memory.
type Gauge interface {
	// Listeners lists who listens, and tells whether those are all that there
	// should be.
	Listeners() (list []observation.Listener, complete bool)
	// Capacity tells what is in use of what there is, and whether that is known.
	Capacity() (c observation.Capacity, available bool)
}

// evaluator makes the documents of one node.
type evaluator struct {
	identity observation.Identity
	facts    [factCount]*check.Runner
}

// evaluator returns an error that names the field that cannot be used. A nil log
// is none.
func (s Source) evaluator(log *slog.Logger) (*evaluator, error) {
	if s.Instance == "" {
		s.Instance = rand.Text()
	}
	for field, name := range map[string]string{"node": s.Node, "instance": s.Instance} {
		if !observation.ValidName(name) {
			return nil, fmt.Errorf("node: source: %s %q: must be 1 to %d bytes of UTF-8 without control and format characters",
				field, name, observation.MaxNameBytes)
		}
	}
	if isNil(s.Ingress) {
		return nil, errors.New("node: source: ingress nil: must be set")
	}
	e := &evaluator{identity: observation.Identity{Node: s.Node, Instance: s.Instance}}
	for name, checker := range map[string]check.Checker{"healthy": s.Healthy, "owner": s.Owner, "ready": s.Ready} {
		// A runner of the checker itself is made for its refusal only.
		if _, err := check.NewRunner(name, checker, check.Sampling{}); err != nil {
			return nil, fmt.Errorf("node: source: %s: %w", name, err)
		}
	}
	for i, f := range [factCount]struct {
		name string
		look look
	}{
		healthy:   {"healthy", lookAt(s.Healthy)},
		owner:     {"owner", lookAt(s.Owner)},
		ready:     {"ready", noOlderThan(readyAge, lookAt(s.Ready))},
		listeners: {"listeners", lookAtListeners(s.Ingress)},
		capacity:  {"capacity", lookAtCapacity(s.Ingress)},
	} {
		var err error
		if e.facts[i], err = newFact(f.name, f.look, log); err != nil {
			return nil, fmt.Errorf("node: source: %s: %w", f.name, err)
		}
	}
	return e, nil
}
