package redundancy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	// agentPatience is how long one connection may stay: HAProxy reads its line
	// and closes within a round trip.
	agentPatience = time.Second
	// agentVisitors is how many connections there are at a time. More make the
	// oldest leave, so whoever stays for nothing keeps nobody else out.
	agentVisitors = 32
	// agentChatter is how much of what a client says is read past, see greet.
	agentChatter = 1 << 10
	// agentPause is how long a listener that cannot accept now is left alone.
	agentPause = 50 * time.Millisecond
)

// ServeAgent answers HAProxy's agent checks on l until ctx ends: each connection is
// told one line, the service level of now, and is closed.
//
//	up 96%
//	down #service level 0
//
// The percentage is that of the level of Active, at least 1, and HAProxy multiplies
// the server's configured weight by it and rounds down: write weight 100 in front of
// it, since 96% of the default weight, which is 1, is 0 and no traffic at all.
// Levels of 240 and 250 are nearly one weight; a balancer that is to send everything
// to the primary asks the active tier, or lists the nodes in order of preference.
//
// The words are those of the operating state, of which HAProxy says that only an
// agent can take back what an agent has set. So every line has one: "down" at the
// level of Down, and otherwise "up", without which a server that was down once would
// stay so. The words of the administrative state, ready, drain and maint, are left to
// the operator: an agent that says "ready" takes back, with each check, what he has
// set by hand. "up" does not make a server accepted that fails HAProxy's own check.
//
// An agent that is gone changes nothing in HAProxy, so let it outlive Run: it then
// says "down" until the process ends, and the health check says so afterwards.
//
// A connection that stays longer than a second is closed, and there are 32 at a time;
// one more makes the oldest leave. ServeAgent closes l and all connections before it
// returns, nil after ctx has ended and otherwise the error of l. A nil Node is down.
func (n *Node) ServeAgent(ctx context.Context, l net.Listener) error {
	if l == nil {
		return errors.New("redundancy: agent listener nil: must not be nil")
	}
	if ctx == nil {
		ctx = context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	var guests visitors
	defer guests.dismiss()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	defer func() { _ = l.Close() }()
	for {
		conn, err := l.Accept()
		var passing interface{ Temporary() bool }
		switch {
		case err == nil:
			guests.receive(conn, n.agentLine())
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &passing) && passing.Temporary(): // as when there are too many open files
			sleep(ctx, agentPause)
		default:
			return fmt.Errorf("redundancy: agent: %w", err)
		}
	}
}

// agentLine is what the agent says now.
func (n *Node) agentLine() string {
	p := n.picture()
	if p.tier == tierDown {
		return fmt.Sprintf("down #service level %d\n", p.level())
	}
	return fmt.Sprintf("up %d%%\n", max(1, p.level()*100/p.policy.Active))
}
