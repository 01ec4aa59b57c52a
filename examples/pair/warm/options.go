package warm

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/natskv"
	"github.com/loopvitals/loopvitals/check/redundancy/natsbus"
	"github.com/loopvitals/loopvitals/examples/pair/database"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/field"
)

// space of the pair in the store of memberships, and on the bus.
const (
	bucket = "warm-pair"
	prefix = "pair.redundancy"
)

// Options are who a node is and where it finds what it needs, as the command line
// has it.
type Options struct {
	Identity
	Times
	Engine   []string // HOST:PORT of the NATS servers
	Bus      []string // of those for the bus, if they are others
	Device   string   // HOST:PORT
	Database string   // URL
}

// ParseOptions reads the arguments of a node, and its roles from the environment
// when no argument tells them.
func ParseOptions(args []string, environment func(string) string, flags *flag.FlagSet) (o Options, err error) {
	flags.StringVar(&o.Address, "address", "", "`HOST:PORT` by which the other nodes reach this one")
	flags.StringVar(&o.Listen, "listen", "", "`HOST:PORT` to serve on, if it is another")
	flags.StringVar(&o.Advertise, "advertise", "", "`NAME` of this node in the list of servers that clients read (default its address)")
	flags.Func("peers", "`NAME,…` of the other nodes in that list", list(&o.Peers))
	roles := flags.String("roles", "", "`ROLE,…` of this node (default $"+RolesVariable+", or "+usualRoles+")")
	flags.Func("engine", "`HOST:PORT,…` of the NATS servers", list(&o.Engine))
	flags.Func("bus", "`HOST:PORT,…` of the NATS servers that carry the bus (default those of -engine)", list(&o.Bus))
	flags.StringVar(&o.Device, "device", "", "`HOST:PORT` of the device")
	flags.StringVar(&o.Database, "database", "", "`URL` of the PostgreSQL, postgres://…")
	for _, t := range []struct {
		name, usage string
		into        *time.Duration
	}{
		{"ttl", "how long a silent node is waited for (default 15s)", &o.TTL},
		{"health-interval", "how often the service level is computed without a cause (default 5s)", &o.Health},
		{"database-interval", "how often the database is asked (default 5s)", &o.Times.Database},
		{"probe-interval", "how often peers are tried (default 5s)", &o.Probe},
		{"republish-interval", "how often a snapshot is repeated (default 10s)", &o.Republish},
		{"stale-after", "the age above which snapshots and answers of the database are stale (default 30s)", &o.StaleAfter},
	} {
		flags.DurationVar(t.into, t.name, 0, t.usage)
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("warm: argument %q: not known", flags.Arg(0))
	}
	if o.Roles, err = cluster.ParseRoles(cmp.Or(*roles, environment(RolesVariable), usualRoles)); err != nil {
		return o, err
	}
	if len(o.Engine) == 0 || o.Device == "" || o.Database == "" {
		return o, errors.New("warm: needs -address, -engine, -device and -database")
	}
	o.Identity, err = o.Identity.settle()
	return o, err
}

// list reads a flag with several values.
func list(into *[]string) func(string) error {
	return func(s string) error {
		*into = strings.Split(s, ",")
		return nil
	}
}

// Connect returns the configuration of the node, and what ends its connections. It
// waits for nobody: a node starts before all that it needs.
func (o Options) Connect(log *slog.Logger) (c Config, disconnect func(), err error) {
	var closers []func()
	disconnect = func() {
		for _, end := range slices.Backward(closers) {
			end()
		}
	}
	defer func() {
		if err != nil {
			disconnect()
		}
	}()
	conn, js, err := engine.DialNATS(o.Engine)
	if err != nil {
		return c, disconnect, err
	}
	closers = append(closers, conn.Close)
	bus := o.Bus
	if len(bus) == 0 {
		bus = o.Engine
	}
	said, err := engine.DialBus(bus)
	if err != nil {
		return c, disconnect, err
	}
	closers = append(closers, said.Close)
	c = Config{Identity: o.Identity, Times: o.Times, JS: js, Log: log}
	if c.Bus, err = natsbus.New(said, prefix); err != nil {
		return c, disconnect, err
	}
	if c.KV, err = natskv.New(js, bucket); err != nil {
		return c, disconnect, err
	}
	if c.Database, err = database.Open(o.Database); err != nil {
		return c, disconnect, err
	}
	closers = append(closers, func() { _ = c.Database.Close() })
	c.Device = field.NewClient(o.Device, o.Address)
	closers = append(closers, c.Device.Close)
	return c, disconnect, nil
}
