//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/node"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// misbehaveVerb makes this program take the place of `loopvitals observe` in an
// adapter's configuration: MANNER FOLDER SOCKET TOKENFILE. The folder is for it to be known
// by, among the processes of the machine.
const misbehaveVerb = "misbehave"

// The manners.
const (
	hang    = "hang"     // prints nothing, and heeds no signal that it can ignore
	tellOld = "tell-old" // tells the truth of more than three seconds ago
)

// misbehave returns the exit status.
func misbehave(args []string, stdout, stderr io.Writer) int {
	if len(args) != 4 {
		fmt.Fprintln(stderr, "misbehave: four arguments")
		return 2
	}
	manner, socket, token := args[0], args[2], args[3]
	var err error
	switch manner {
	case hang:
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		time.Sleep(time.Hour)
	case tellOld:
		err = tell(stdout, socket, token, 3001)
	default:
		err = fmt.Errorf("manner %q: not known", manner)
	}
	if err != nil {
		fmt.Fprintln(stderr, "misbehave:", err)
		return 1
	}
	return 0
}

// tell prints the node's document as one that is so many milliseconds older.
func tell(stdout io.Writer, socket, token string, older int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	text, err := node.Observe(ctx, socket, token)
	if err != nil {
		return err
	}
	d, err := observation.Decode(text)
	if err != nil {
		return err
	}
	d.Sampled.AgeMs += older
	if text, err = d.Append(nil); err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}
