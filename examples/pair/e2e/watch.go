//go:build linux

package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/claim"
	"github.com/loopvitals/loopvitals/examples/pair/node"
)

const (
	writeEvery = 5 * time.Millisecond
	gateEvery  = time.Millisecond
	tierEvery  = 20 * time.Millisecond
)

// now is the clock of all processes: one kernel has one.
func now() int64 { return int64(cluster.BootClock{}.Now()) }

// watchGate asks the gate all the time. The time is read before the gate is
// asked: if the process stops between the two, the answer counts for the past.
func watchGate(page *claim.Page, n *node.Node) {
	for {
		at := now()
		active := n.Gate.IsActive()
		page.Gate.Sample(at, active)
		page.Say(report(at, active, n.Member.View()))
		time.Sleep(gateEvery)
	}
}

func report(at int64, active bool, v *cluster.View) claim.Report {
	r := claim.Report{At: at, Active: active}
	if v == nil {
		return r
	}
	self, _ := v.Member(v.Self)
	r.Age, r.Confirmed = self.Age, int64(v.ConfirmedAt)
	r.Up = self.Status == cluster.Up && cluster.Instant(at) < v.ValidUntil
	for _, m := range v.Members {
		if m.Status == cluster.Up && m.Reachable {
			r.Members++
		}
	}
	return r
}

// watchTier asks the health endpoint as a load balancer would, without the
// network in between, which would only blur the times.
func watchTier(page *claim.Page, n *node.Node) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/health/active", http.NoBody)
	if err != nil {
		panic(err) // all of it is written above
	}
	for {
		at := now()
		answer := status{header: http.Header{}}
		n.Handler.ServeHTTP(&answer, r)
		page.Tier.Sample(at, answer.code == http.StatusOK)
		time.Sleep(tierEvery)
	}
}

// status is a ResponseWriter that keeps the status only.
type status struct {
	header http.Header
	code   int
}

func (s *status) Header() http.Header { return s.header }

func (s *status) WriteHeader(code int) {
	if s.code == 0 {
		s.code = code
	}
}

func (s *status) Write(b []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return len(b), nil
}

// The phases of work that is frozen between its check and its use.
const (
	freezeNone     uint32 = iota
	freezeAsked           // by the driver of faults
	freezeHeld            // the gate has let the work in, and it does not go on
	freezeGo              // by the driver, while the process is stopped
	freezeRefused         // the device has refused the write
	freezeAccepted        // the device has accepted it
	freezeFailed          // there was no answer
)

// freeze is one unit of work that passes the gate and is then held up until it is
// told to go on, like a packet in the buffer of a switch: it does not look at its
// deadline any more.
func freeze(page *claim.Page, n *node.Node, client *device.Client, address string) {
	for {
		time.Sleep(gateEvery)
		if page.Freeze.Load() != freezeAsked {
			continue
		}
		ctx, release, err := n.Gate.Acquire(context.Background())
		if err != nil {
			continue // not the active one; asked again until it is
		}
		token, _ := cluster.Token(ctx)
		page.Freeze.Store(freezeHeld)
		for page.Freeze.Load() != freezeGo {
			time.Sleep(gateEvery)
		}
		switch err := client.Write(context.WithoutCancel(ctx), token, address); {
		case err == nil:
			page.Freeze.Store(freezeAccepted)
		case errors.Is(err, device.ErrStale):
			page.Freeze.Store(freezeRefused)
		default:
			page.Freeze.Store(freezeFailed)
		}
		release()
	}
}
