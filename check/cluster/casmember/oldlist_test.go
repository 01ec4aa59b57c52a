package casmember_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// listed is an engine whose watch begins with a list of a revision that the test
// says. One of the newest is followed by the changes, an old one by nothing, until
// the test says the next.
type listed struct {
	direct
	lists chan uint64
}

var errListedAgain = errors.New("listed again")

func (l listed) Watch(ctx context.Context, sink func(casmember.Event)) error {
	var revision uint64
	select {
	case revision = <-l.lists:
	case <-ctx.Done():
		return ctx.Err()
	}
	newest, _ := l.revision()
	follow := revision == newest
	sink(casmember.Event{Kind: casmember.Reset})
	for _, e := range l.at(revision) {
		sink(e)
	}
	sink(casmember.Event{Kind: casmember.Synced})
	for len(l.lists) == 0 { // what is in it is for the watch that follows
		newest, _ := l.revision()
		for ; follow && revision < newest; revision++ {
			e, _ := l.change(revision + 1)
			sink(e)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return errListedAgain
}

// A list may be of an old state, from before this node was Up, and from before an
// older member was: the next one, in which that member is gone, must not be taken
// for the end of one that never began.
func TestOldListForgetsNobody(t *testing.T) {
	for name, at := range map[string]struct {
		old  func(*engine) uint64
		wait time.Duration // from the old list to the deletion
	}{
		"the older member is Joining in it": {func(e *engine) uint64 { newest, _ := e.revision(); return newest }, 100 * time.Millisecond},
		"the older member is not in it":     {func(*engine) uint64 { return 0 }, ttl - 1500*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEngine()
				older := e.open()
				a := start(t, older, middle)
				between()
				slow := listed{e.open(), make(chan uint64, 1)}
				b := start(t, slow, lowest)
				between()
				old := at.old(e)
				newest := func() uint64 { revision, _ := e.revision(); return revision }
				slow.lists <- newest()
				wait(t, 3*ttl, "the older one is active", a.active)
				wait(t, 3*ttl, "the younger one is Up", func() bool { return b.self().Status == cluster.Up })
				time.Sleep(2 * ttl)
				slow.lists <- old
				time.Sleep(at.wait)

				before := newest()
				wait(t, ttl, "a heartbeat", func() bool { return newest() > before })
				older.set(cut)
				e.delete(t, a)
				slow.lists <- newest()
				for range 4 * ttl / time.Millisecond {
					time.Sleep(time.Millisecond)
					if a.active() && b.active() {
						t.Fatal("both are active")
					}
				}
			})
		})
	}
}
