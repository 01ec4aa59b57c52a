// Command consumer is a complete event consumer that is watched by loopvitals:
// a shop's orders come in over NATS JetStream, are stored in a database, billed
// by a pool of workers, audited by the replica that holds a lease, and now and
// then read again from the first one by a rebuild. The NATS server and the
// database are real, and inside the process.
//
// Each file is one role. To see how a loop reports, read pull.go (a loop that
// polls), billing.go (a pool that waits), audit.go (a loop on standby) and
// rebuild.go (a loop that ends on purpose); health.go wires the endpoints, and
// supervisor.go restarts what faulted.
//
//	consumer -demo                  run through the script, check each step, exit
//	consumer -serve 127.0.0.1:8080  run until interrupted, to play with by hand
//
// With -otlp it pushes its metrics as well, see push.go. With -node and what belongs
// to it, it tells about itself to `loopvitals observe`, see node.go, and the folder
// adapter beside this one has what to run it with.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// command returns the exit status: 0, 1 for a failure, 2 for wrong usage.
func command(args []string, stdout, stderr io.Writer) int {
	demo, address, s, ok := parse(args, stderr)
	if !ok {
		return 2
	}

	// The first SIGINT or SIGTERM ends ctx, and with it everything. A second
	// one kills: restore gives the signals back to the runtime.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	context.AfterFunc(ctx, restore)

	name, err := "demo:", error(nil)
	if demo {
		err = runDemo(ctx, stdout, s, 1500*time.Millisecond)
	} else {
		name, err = "consumer:", serve(ctx, stdout, stderr, address, s)
	}
	if err != nil {
		fmt.Fprintln(stderr, name, err)
		return 1
	}
	return 0
}

// parse says on stderr what is wrong.
func parse(args []string, stderr io.Writer) (demo bool, address string, s settings, ok bool) {
	flags := flag.NewFlagSet("consumer", flag.ContinueOnError)
	flags.SetOutput(stderr)
	s = defaultSettings()
	flags.BoolVar(&demo, "demo", false, "run the demo's script and exit")
	flags.StringVar(&address, "serve", "", "run until interrupted, and serve on this loopback `address`")
	flags.StringVar(&s.otlp, "otlp", "", "also push the metrics to the OTLP receiver at this `URL`")
	n := &s.node
	flags.StringVar(&n.name, "node", "", "be the node of this `name`, with -serve and all of the following")
	flags.StringVar(&n.ingress, "ingress", "", "take orders at this `address`")
	flags.StringVar(&n.socket, "observe", "", "tell about the node on this unix `socket`, to loopvitals observe")
	flags.StringVar(&n.token, "token-file", "", "tell those who know what is in this `file`")
	flags.StringVar(&n.state, "state", "", "keep the clock in this `file`")
	if flags.Parse(args) != nil {
		return demo, address, s, false
	}
	some := s.node != nodeSettings{}
	all := n.name != "" && n.ingress != "" && n.socket != "" && n.token != "" && n.state != ""
	switch {
	case demo == (address != ""), flags.NArg() > 0:
		fmt.Fprintln(stderr, "consumer: give either -demo or -serve ADDRESS")
	case some && (demo || !all):
		fmt.Fprintln(stderr, "consumer: give -node, -ingress, -observe, -token-file and -state with -serve, or none of them")
	default:
		return demo, address, s, true
	}
	flags.Usage()
	return demo, address, s, false
}
