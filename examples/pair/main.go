// Command pair runs a service of which one node acts at a time: three processes
// on addresses of their own, an engine that they keep their membership in, a
// device that the active node writes to, and a reverse proxy that follows
// GET /health/active as an orchestrator does. It kills the active node, starts it
// again, asks the next one to leave, and prints what happens, in about 20 seconds.
//
//	go run ./pair                  on a NATS server of its own
//	go run ./pair -engine etcd     on an etcd of its own
//	go run ./pair -stay            no play: everything runs until interrupted
//	go run ./pair -engine etcd -endpoints 10.0.0.1:2379,10.0.0.2:2379
//
// The code of a node is in folder node; what the engine, the device and the proxy
// are made of is in theirs. The parts can be run by hand as well:
//
//	pair engine -engine nats -address 127.0.0.1:4222 -folder pair-engine
//	pair device -address 127.0.0.1:9000
//	pair node   -engine nats -endpoints 127.0.0.1:4222 -device 127.0.0.1:9000 -address 127.0.0.11:8080
//	pair proxy  -address 127.0.0.1:8080 -nodes 127.0.0.11:8080,127.0.0.12:8080
//
// A warm pair has more parts: its nodes evaluate alarms all the time, on both, and
// share a PostgreSQL; see folder warm. Its play is go run ./pair/e2epair. By hand:
//
//	pair engine  -address 127.0.0.1:4222 -folder pair-engine
//	pair sensors -engine 127.0.0.1:4222
//	pair field   -address 127.0.0.1:9001
//	pair warm    -address 127.0.0.11:4053 -engine 127.0.0.1:4222 -device 127.0.0.1:9001 -database postgres://…
//	pair warm    -address 127.0.0.12:4053 -engine 127.0.0.1:4222 -device 127.0.0.1:9001 -database postgres://…
//
// Linux has all addresses of 127.0.0.0/8. Other systems have the first only; there
// give the nodes addresses by hand, such as 127.0.0.1 with a port each.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:])
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "pair:", err)
		os.Exit(1)
	}
}

// options are the flags. Each verb has some.
type options struct {
	engine    engine.Kind
	endpoints []string
	address   string
	device    string
	nodes     []string
	folder    string
	ttl       time.Duration
	stay      bool
}

func command(ctx context.Context, args []string) error {
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	if run := warmVerbs[verb]; run != nil {
		err := run(ctx, args)
		if errors.Is(err, flag.ErrHelp) {
			return errUsage
		}
		return err
	}
	o, err := parse(verb, args)
	if err != nil {
		return err
	}
	switch verb {
	case "engine":
		return engine.Serve(ctx, o.engine, o.address, o.folder, func() {})
	case "device":
		return runDevice(ctx, o)
	case "node":
		return runNode(ctx, o)
	case "proxy":
		return runProxy(ctx, o)
	default:
		return perform(ctx, os.Stdout, o)
	}
}

// errUsage is a flag that is wrong, or -help; package flag has said so.
var errUsage = errors.New("see the usage")

func parse(verb string, args []string) (o options, err error) {
	flags := flag.NewFlagSet(strings.TrimSpace("pair "+verb), flag.ContinueOnError)
	address := func() { flags.StringVar(&o.address, "address", "", "`HOST:PORT` to serve on") }
	kind := func() {
		o.engine = engine.NATS
		flags.Func("engine", "what keeps the membership, `nats` or etcd (default nats)", func(s string) (err error) {
			o.engine, err = engine.Parse(s)
			return err
		})
	}
	endpoints := func(usage string) { flags.Func("endpoints", usage, list(&o.endpoints)) }
	ttl := func() {
		flags.DurationVar(&o.ttl, "ttl", 3*time.Second, "how long a silent node is waited for, 2s or more")
	}
	switch verb {
	case "":
		kind()
		endpoints("`HOST:PORT,…` of an engine that runs already (default one that is started)")
		ttl()
		flags.BoolVar(&o.stay, "stay", false, "run until interrupted, without the play")
	case "engine":
		address()
		kind()
		flags.StringVar(&o.folder, "folder", "", "for its files")
	case "device":
		address()
	case "node":
		address()
		kind()
		endpoints("`HOST:PORT,…` of the engine")
		ttl()
		flags.StringVar(&o.device, "device", "", "`HOST:PORT` of the device")
	case "proxy":
		address()
		flags.Func("nodes", "`HOST:PORT,…` of the nodes", list(&o.nodes))
	default:
		return o, fmt.Errorf("verb %q: must be engine, device, node, proxy, warm, field, sensors or none", verb)
	}
	if flags.Parse(args) != nil {
		return o, errUsage
	}
	return o, o.check(verb, flags.Args())
}

// check finds what is missing or too much.
func (o options) check(verb string, rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("argument %q: not known", rest[0])
	case verb != "" && o.address == "":
		return fmt.Errorf("%s: needs -address", verb)
	case verb == "engine" && o.folder == "":
		return errors.New("engine: needs -folder")
	case verb == "node" && (len(o.endpoints) == 0 || o.device == ""):
		return errors.New("node: needs -endpoints and -device")
	case verb == "proxy" && len(o.nodes) == 0:
		return errors.New("proxy: needs -nodes")
	}
	return nil
}

// list reads a flag with several values.
func list(into *[]string) func(string) error {
	return func(s string) error {
		*into = strings.Split(s, ",")
		return nil
	}
}
