package redundancy

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Config is what a Node needs. A zero field is not set and takes its default.
type Config struct {
	// Source tells who is in the cluster. Nil is no cluster, on purpose: the node
	// works alone and is the primary.
	Source cluster.Source
	// Bus carries snapshots and probe results. It is required with a Source,
	// unless that is cluster.Standalone. A bus belongs to one cluster and one
	// Role: snapshots of two would mix.
	Bus Bus
	// Role is the role of the cluster in which one node is the primary; see
	// cluster.ValidateRoles. Empty is the whole cluster. It is the same on all
	// members, and all run a Node, also those that do not hold it: the oldest of
	// all builds the snapshots.
	Role string
	// Sites are the user's own sites of the primary gate, beside the three.
	Sites []string
	// Levels is how the service level is computed.
	Levels LevelPolicy
	// Database asks the database that the nodes share, as sql.DB.PingContext
	// does. Nil is no database, which counts as reachable. It should return soon
	// after its context has ended; until one call has returned there is no other.
	Database func(context.Context) error
	// Prober tries the endpoints of peers. Nil is a TCP connect to the peer's
	// address.
	Prober Prober
	// Advertise is what this node is called in Node.Servers, such as the URI of
	// its server. Empty is its address in the cluster.
	Advertise string
	// Peers are what the other nodes are called there (S4.39).
	Peers []string

	// DatabaseInterval is how often the database is asked, and DatabaseTimeout
	// how long it may take to answer: a query that times out is unreachable
	// (S4.11, S4.23). 0 is 5 s and 2 s.
	DatabaseInterval, DatabaseTimeout time.Duration
	// ProbeInterval is how often each peer is tried, and ProbeTimeout how long
	// that may take (S4.25). 0 is 5 s and 2 s.
	ProbeInterval, ProbeTimeout time.Duration
	// HealthInterval is how often the service level is computed when nothing
	// has happened (S4.8). 0 is 5 s.
	HealthInterval time.Duration
	// Debounce is how long the builder of snapshots waits after a change of
	// roles, so that a burst of them is one snapshot (S4.2). 0 is 250 ms.
	Debounce time.Duration
	// RepublishInterval is how often the builder repeats itself for those who
	// have not heard it (S4.3). 0 is 10 s.
	RepublishInterval time.Duration
}

// settle returns the configuration that is used, or what is wrong with this one.
func (c Config) settle() (Config, error) {
	if isNil(c.Source) {
		return Config{}, errors.New("redundancy: source: must not be a nil pointer")
	}
	if isNil(c.Bus) {
		return Config{}, errors.New("redundancy: bus: must not be a nil pointer")
	}
	if err := validateRole(c.Role); err != nil {
		return Config{}, err
	}
	if c.Source == nil {
		alone, err := cluster.Standalone("")
		if err != nil {
			return Config{}, fmt.Errorf("redundancy: source: %w", err)
		}
		c.Source = alone
	}
	if c.Bus == nil && cluster.Ask(c.Source).Reason != cluster.ReasonNotClustered {
		return Config{}, errors.New("redundancy: bus nil: must be set with a source")
	}
	if err := c.Levels.validate(); err != nil {
		return Config{}, err
	}
	if err := c.validateNames(); err != nil {
		return Config{}, err
	}
	if c.Prober == nil {
		c.Prober = connect
	}
	c.Levels = c.Levels.resolve()
	c.Sites, c.Peers = slices.Clone(c.Sites), slices.Clone(c.Peers)
	if err := c.settleTimes(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// validateRole tests a role, of which there may be none.
func validateRole(role string) error {
	if role == "" {
		return nil
	}
	if err := cluster.ValidateRoles([]string{role}); err != nil {
		return fmt.Errorf("redundancy: role: %w", err)
	}
	return nil
}

// isNil tells whether a collaborator is there and can never do anything.
func isNil(v any) bool {
	if v == nil {
		return false
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan:
		return r.IsNil()
	default:
		return false
	}
}
