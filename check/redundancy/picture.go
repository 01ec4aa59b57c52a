package redundancy

import "github.com/loopvitals/loopvitals/check/cluster"

// picture is what is shown of a node at one moment, in whichever form.
type picture struct {
	policy   LevelPolicy // settled
	inputs   Inputs
	tier     tier
	standing standing
}

// picture looks at the node as it is now. A nil Node is down.
func (n *Node) picture() picture {
	p := picture{policy: DefaultLevels()}
	if n != nil {
		p.policy = n.config.Levels.resolve()
		p.inputs = n.inputs()
		p.standing = n.standing()
	}
	p.tier = p.policy.tier(p.inputs)
	return p
}

// level is the service level.
func (p *picture) level() int { return p.policy.value(p.tier) }

// role is the one that the primary gate goes by.
func (p *picture) role() Role { return p.standing.effective() }

// starting tells whether the cluster has not told yet who is in it, or tells nothing.
func (p *picture) starting() bool { return p.standing.own.Reason == cluster.ReasonStarting }
