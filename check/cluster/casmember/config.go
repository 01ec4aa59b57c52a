package casmember

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

const (
	defaultTTL    = 15 * time.Second
	shortestTTL   = 2 * time.Second
	longestTTL    = 10 * time.Minute
	shortestFence = 250 * time.Millisecond // the least Margin
)

// Config says who a node is, and how fast its cluster gives it up.
type Config struct {
	// Address is host:port, by which people and peers know the node; see
	// cluster.ParseAddress. No two live nodes may have the same.
	Address string
	// Roles are what the node can be the active one of; see
	// cluster.ValidateRoles. They are fixed for the life of the Node.
	Roles []string
	// TTL is for how long a node is given a chance after its last heartbeat,
	// and so the time of a failover. Heartbeats are sent every TTL/3. All nodes
	// of a cluster should have the same; while they differ, no record may be
	// deleted by hand. 2 s to 10 min; 0 is 15 s.
	TTL time.Duration
	// Margin is by how much a node stops before the others may go on. It covers
	// clocks that run at different rates (2 × rate error × TTL), and work that
	// does not look at its deadline. 250 ms to TTL/3; 0 is TTL/6, but at least
	// 250 ms.
	Margin time.Duration
	// Meta is told to the other members and takes no part in decisions.
	Meta map[string]string
}

// settle returns the configuration that is used, or what is wrong with this one.
func (c Config) settle() (Config, error) {
	address, err := cluster.ParseAddress(c.Address)
	if err != nil {
		return Config{}, fmt.Errorf("casmember: address: %w", err)
	}
	if err := cluster.ValidateRoles(c.Roles); err != nil {
		return Config{}, fmt.Errorf("casmember: roles: %w", err)
	}
	if c.TTL == 0 {
		c.TTL = defaultTTL
	}
	if c.TTL < shortestTTL || c.TTL > longestTTL {
		return Config{}, fmt.Errorf("casmember: ttl %v: must be %v to %v, or 0 for %v", c.TTL, shortestTTL, longestTTL, defaultTTL)
	}
	if c.Margin == 0 {
		c.Margin = max(c.TTL/6, shortestFence)
	}
	if c.Margin < shortestFence || c.Margin > c.TTL/3 {
		return Config{}, fmt.Errorf("casmember: margin %v: must be %v to a third of the ttl, %v, or 0 for a sixth of it", c.Margin, shortestFence, c.TTL/3)
	}
	c.Address, c.Roles, c.Meta = address, slices.Clone(c.Roles), maps.Clone(c.Meta)
	return c, nil
}

// heartbeat is how often the node writes, and for how long one call may take.
func (c Config) heartbeat() time.Duration { return c.TTL / 3 }

// pause is the time between attempts that failed.
func (c Config) pause() time.Duration { return c.TTL / 30 }

// claim is for how long a heartbeat is good, from its sending.
func (c Config) claim() time.Duration { return c.TTL - c.Margin }
