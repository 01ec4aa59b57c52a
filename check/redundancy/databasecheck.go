package redundancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// Database returns the check of the database that the nodes share, for the ready tier.
// It asks nothing: it reads the newest answer to what Run asks, which is also what the
// service level is computed from (S4.23). Healthy is a database that has answered,
// Unhealthy one that has not, or whose answer is older than LevelPolicy's
// DatabaseStaleAfter, as it is when Run has ended. Before the first answer it is
// Degraded. The data are ageMs, the age of the answer, where there is one.
//
// It is a check.Instant, and a check.Invalid when no database is configured.
func (n *Node) Database() check.Checker {
	if n == nil || n.database.ask == nil {
		return check.Invalid(errors.New("redundancy: database nil: must be configured to be checked"))
	}
	return &databaseCheck{node: n, limit: n.config.Levels.DatabaseStaleAfter}
}

// databaseCheck reads the answers of one node's database.
type databaseCheck struct {
	node  *Node
	limit time.Duration
}

// Instant marks it as a check that reads memory.
func (*databaseCheck) Instant() {}

// Check reads the newest answer.
func (c *databaseCheck) Check(context.Context) check.Result {
	now, ok := c.node.now()
	if !ok {
		return check.Result{Description: "the clock failed"}
	}
	reach, age, err := c.node.database.last(now)
	if reach == ReachUnknown {
		return check.Result{Status: check.Degraded, Description: "has not answered yet"}
	}
	r := check.Result{Data: map[string]any{"ageMs": age.Milliseconds()}}
	switch {
	case age > c.limit:
		r.Description = "has not answered for too long"
		r.Err = errors.Join(fmt.Errorf("redundancy: database: the newest answer is %v old: must be at most %v", age, c.limit), err)
	case reach == Unreachable:
		r.Description, r.Err = "unreachable", err
	default:
		r.Status, r.Description = check.Healthy, "reachable"
	}
	return r
}
