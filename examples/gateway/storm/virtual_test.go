package main

import (
	"context"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"
)

// pipe is a network in memory.
func pipe() network {
	at := bufconn.Listen(1 << 16)
	return network{at, func(ctx context.Context) (net.Conn, error) { return at.DialContext(ctx) }}
}

// TestIncidentInVirtualTime plays all that the command plays, where time is free and
// exact: the same gateway and consumers, with a pipe as the network (S3.13, S3.14, S3.20,
// S3.26). In the long form it goes on for the twenty minutes of the incident.
func TestIncidentInVirtualTime(t *testing.T) {
	patience := time.Minute
	if os.Getenv("LOOPVITALS_SOAK") != "" {
		patience = 20 * time.Minute
	}
	var outcomes []outcome
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, err := play(t.Context(), v, 1, pipe(), patience)
				if err != nil {
					t.Fatal(err)
				}
				outcomes = append(outcomes, o)
				// In the calm one subscribe each is all, with or without levers (S3.14).
				if len(o.before) != len(names) {
					t.Errorf("%d subscribes in the calm", len(o.before))
				}
				for i, sends := range o.sends {
					want, at := 3, 1
					if !v.guarded {
						want, at = 22, 6 // of 30 s each, one every 5 s
					}
					if n, under := during(sends), together(sends); n != want || under != at {
						t.Errorf("%s: %d subscribes, %d at a time, want %d and %d", names[i], n, under, want, at)
					}
				}
				if v.guarded && v.batched {
					lostAtCeiling(t, o)
				}
			})
		})
	}
	if t.Failed() {
		return
	}
	printHeading(t.Output(), 1)
	for _, o := range outcomes {
		printLine(t.Output(), o)
	}
	for _, err := range missed(outcomes) {
		t.Error(err)
	}
}

// lostAtCeiling wants the subscribes of the stall to be sent a ceiling after the one
// before, whatever the delay has become, and the one that is under way at its end to be
// answered: the longer time limit of commands leaves it there (S3.3, S3.7, S3.23).
func lostAtCeiling(t *testing.T, o outcome) {
	t.Helper()
	for i, sends := range o.sends {
		if len(sends) != 3 || sends[2].err != nil || sends[2].open {
			t.Fatalf("%s: %+v", names[i], sends)
		}
		for j, s := range sends[1:] {
			if after := s.at - sends[j].at; after < ceiling || after > ceiling+floor/5 {
				t.Errorf("%s: subscribe %d is %v after the one before", names[i], j+2, after)
			}
		}
	}
}
