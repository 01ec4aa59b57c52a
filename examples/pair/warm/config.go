package warm

import (
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/database"
	"github.com/loopvitals/loopvitals/examples/pair/field"
)

// Config is what a node needs.
type Config struct {
	Identity
	Times
	// KV keeps the membership, Bus carries what the nodes say of each other,
	// and Streams has what goes into the alarm loops and comes out of them.
	// Here all three are one NATS.
	KV       casmember.KV
	Bus      redundancy.Bus
	JS       jetstream.JetStream
	Device   *field.Client
	Database *database.DB
	Log      *slog.Logger
}

// Times are how fast a node notices things. What is 0 takes its default; see
// redundancy.Config.
type Times struct {
	// TTL is how long the others wait for a node that has gone silent.
	TTL time.Duration
	// Health, Database, Probe and Republish are intervals.
	Health, Database, Probe, Republish time.Duration
	// StaleAfter is the age above which snapshots and answers of the database
	// are stale.
	StaleAfter time.Duration
}
