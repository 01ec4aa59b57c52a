//go:build linux

package main

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/examples/pair/warm"
)

// watchEvery is how often a node looks at itself.
const watchEvery = 2 * time.Millisecond

// now is the clock of all processes: one kernel has one.
func now() int64 { return int64(cluster.BootClock{}.Now()) }

// look is what a node showed, from the first time that it was seen. The clock is
// read before and after each look, and a look counts for what lies between those
// of one kind only: a node that stood still in the middle of one is not seen to
// show anything that it may not have shown.
type look struct {
	// Since is the time after the first look that saw this, and Was the time
	// before the last that saw what was there before.
	Since int64 `json:"since"`
	Was   int64 `json:"was"`
	Level int   `json:"level"`
	// Serves tells that the gate for writes is open.
	Serves bool   `json:"serves"`
	Role   string `json:"role"`
}

// watch writes a line for every change.
func watch(ctx context.Context, to io.Writer, n *warm.Node) {
	encode := json.NewEncoder(to)
	site := n.Redundancy.Site(redundancy.SiteWrite)
	last := look{Level: -1}
	for {
		before := now()
		seen := look{Level: int(n.Redundancy.ServiceLevel()), Serves: site.IsActive(), Role: n.Redundancy.Role().String()}
		after := now()
		if seen.Level != last.Level || seen.Serves != last.Serves || seen.Role != last.Role {
			seen.Since, seen.Was = after, last.Was
			_ = encode.Encode(seen) // one write, so a kill leaves whole lines
			last = seen
		}
		last.Was = before
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		}
	}
}
