package casmember

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// aliveAfter is how many heartbeats show that somebody is alive.
const aliveAfter = 3

// meetTwin looks for another node that is alive at the address of this one. The
// younger one leaves, since nobody could tell them apart.
func (n *Node) meetTwin(ctx context.Context) {
	twin, older := n.twin()
	if twin == nil {
		return
	}
	n.log.line(slog.LevelError, "another node is alive at the address of this one",
		"address", n.config.Address, "incarnation", twin.Incarnation, "older", older)
	if older {
		n.part(ctx, fmt.Errorf("casmember: address %s: another node is alive there, and older", n.config.Address))
	}
}

// twin returns another node at the address of this one that was not told yet,
// and whether it is the older one.
func (n *Node) twin() (twin *cluster.Key, older bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, x := range n.roster.entries {
		key := x.record.key
		if key.Address != n.config.Address || strings.HasPrefix(key.Incarnation, n.nonce) ||
			x.gone || x.told || x.beats < aliveAfter || x.record.status != cluster.Up {
			continue
		}
		x.told = true
		return &key, n.life.record.age == 0 || x.record.age < n.life.record.age
	}
	return nil, false
}
