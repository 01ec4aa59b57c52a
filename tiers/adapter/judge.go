package adapter

import "github.com/loopvitals/loopvitals/tiers/adapter/observation"

// verdict is what one document says about the node, whatever its age.
type verdict struct {
	live  bool // good, and the node vouches for itself (S2.5)
	ready bool // live, and the node would take one more (S2.4)
	lacks lack // the first thing that keeps it from being ready
}

// lack names in the log what keeps a node from being ready.
type lack string

// What a sample can lack, in the order in which it is asked for.
const (
	nothing         lack = ""
	lacksCommand    lack = "command"    // it failed
	lacksDocument   lack = "document"   // its output is none
	lacksIdentity   lack = "identity"   // it speaks of another node
	lacksFreshness  lack = "freshness"  // it was too old when it came
	lacksResult     lack = "result"     // the node could not observe itself
	lacksPressure   lack = "pressure"   // the node does not know its load
	lacksInventory  lack = "inventory"  // a listener is missing or dead
	lacksHealth     lack = "health"     // the node says that it is broken
	lacksOwnership  lack = "ownership"  // the node does not hold what is its own
	lacksCapacity   lack = "capacity"   // full: live, and not ready
	lacksActivation lack = "activation" // the node does not want work: likewise
)

// judge reads the document of the node that is to be called node. It asks for
// everything, and for nothing twice: a good sample first (S2.3), then what
// liveness needs (S2.5), then what readiness needs besides (S2.4).
func judge(d *observation.Document, node string) verdict {
	switch {
	case d.Identity.Node != node:
		return verdict{lacks: lacksIdentity}
	case d.Result != observation.Succeeded:
		return verdict{lacks: lacksResult}
	case !d.Pressure.Available:
		return verdict{lacks: lacksPressure}
	case !d.Inventory.Live():
		return verdict{lacks: lacksInventory}
	case !d.Native.Healthy:
		return verdict{lacks: lacksHealth}
	case !d.Native.Owner:
		return verdict{lacks: lacksOwnership}
	case !d.Capacity.Spare():
		return verdict{live: true, lacks: lacksCapacity}
	case !d.Activation.Ready:
		return verdict{live: true, lacks: lacksActivation}
	}
	return verdict{live: true, ready: true}
}
