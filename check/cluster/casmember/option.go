package casmember

import (
	"log/slog"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Option gives a Node a collaborator. A nil collaborator is the default.
type Option interface{ apply(*Node) }

type optionFunc func(*Node)

func (f optionFunc) apply(n *Node) { f(n) }

// WithClock sets the clock of fences and of the silence of others. The default
// is cluster.BootClock.
func WithClock(c cluster.Clock) Option {
	return optionFunc(func(n *Node) {
		if c != nil {
			n.clock = c
		}
	})
}

// WithLogger sets the log hook. It gets one line when this node joins, loses its
// record or leaves, for each member that it evicts, and for each change of the
// reason why the engine cannot be used; the texts of the engine's errors go
// nowhere else. The default is no log. A handler that blocks keeps the node from
// its heartbeats, but not from ending its claim in time.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(n *Node) {
		if l != nil {
			n.log.to = l
		}
	})
}
