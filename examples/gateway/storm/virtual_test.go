package main

import (
	"context"
	"net"
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

func TestX(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				o, err := play(t.Context(), v, 1, pipe(), patience)
				if err != nil {
					t.Fatal(err)
				}
				t.Log(time.Since(began))
				printLine(t.Output(), o)
				for _, s := range o.sends {
					for _, s := range s[:min(len(s), 4)] {
						t.Logf("%+v", s)
					}
				}
			})
		})
	}
}
