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
// With -otlp it pushes its metrics as well, see push.go.
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
	flags := flag.NewFlagSet("consumer", flag.ContinueOnError)
	flags.SetOutput(stderr)
	demo := flags.Bool("demo", false, "run the demo's script and exit")
	address := flags.String("serve", "", "run until interrupted, and serve on this loopback `address`")
	s := defaultSettings()
	flags.StringVar(&s.otlp, "otlp", "", "also push the metrics to the OTLP receiver at this `URL`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *demo == (*address != "") || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "consumer: give either -demo or -serve ADDRESS")
		flags.Usage()
		return 2
	}

	// The first SIGINT or SIGTERM ends ctx, and with it everything. A second
	// one kills: restore gives the signals back to the runtime.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	context.AfterFunc(ctx, restore)

	name, err := "demo:", error(nil)
	if *demo {
		err = runDemo(ctx, stdout, s, 1500*time.Millisecond)
	} else {
		name, err = "consumer:", serve(ctx, stdout, stderr, *address, s)
	}
	if err != nil {
		fmt.Fprintln(stderr, name, err)
		return 1
	}
	return 0
}
