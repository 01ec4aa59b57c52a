package tiers

import (
	"slices"
	"strings"

	"github.com/loopvitals/loopvitals/check"
)

// drainingEntry is the name of the entry that Drain adds; no check may have it.
const drainingEntry = "draining"

// Drain makes the ready and the active tier Unhealthy at once and for good,
// with an entry that says why: no new work is to come. Call it when the
// process is told to stop, before it stops serving. The server goes on
// answering, the live tier stays 200 and the wedged tier is not concerned, so
// that what is in progress is finished and not killed. Gates do not follow it:
// a node is active until it has left its cluster. Further calls do nothing.
func (s *Set) Drain() {
	if s != nil {
		s.draining.Store(true)
	}
}

// withDraining returns the report of a process that drains.
func (r Report) withDraining() Report {
	at, found := slices.BinarySearchFunc(r.Entries, drainingEntry, func(e Entry, name string) int {
		return strings.Compare(e.Name, name)
	})
	if found {
		return r
	}
	// Clip, because a report that others hold must not change.
	r.Entries = slices.Insert(slices.Clip(r.Entries), at, Entry{
		Name:        drainingEntry,
		Status:      check.Unhealthy,
		Description: "the process is stopping and takes no new work",
	})
	r.Status = check.Unhealthy
	return r
}
