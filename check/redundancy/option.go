package redundancy

import (
	"log/slog"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Option gives a Node a collaborator. A nil collaborator is the default.
type Option interface{ apply(*Node) }

type optionFunc func(*Node)

func (f optionFunc) apply(n *Node) { f(n) }

// WithLogger sets the log hook. It gets one line for each change of the level, with
// the role of then, a warning for what a person should know, and one for each change
// of the reason why a call of the user's code failed; the texts of errors go nowhere
// else. The default is no log. A handler that blocks keeps the node from its work.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(n *Node) {
		if l != nil {
			n.log.to = l
		}
	})
}

// WithClock sets the clock that ages are counted on (X27). The default is
// cluster.BootClock.
func WithClock(c cluster.Clock) Option {
	return optionFunc(func(n *Node) {
		if c != nil {
			n.clock = c
		}
	})
}
