package casmember

import (
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// roster is who is there according to the watch, with what a node has to know of
// each to judge its silence. It is no safe place for several goroutines.
type roster struct {
	entries map[string]*entry
	// synced tells whether a list was ever complete; since is when the last one
	// was. From then on the watch has missed nothing.
	synced bool
	since  cluster.Instant
	// first is when the first list was complete.
	first cluster.Instant
	// revision is the highest that was seen.
	revision uint64
	// urgent is set by what may have to be acted on earlier than was planned, as
	// a heartbeat never has.
	urgent bool

	// listing holds the records of a list that is not complete yet; nil outside
	// of one. deaf is true from the begin of a watch to its first list.
	listing map[string]told
	deaf    bool
}

// told is a record as the watch told it.
type told struct {
	record   record
	revision uint64
	readable bool
}

// entry is what is known of one record, or was.
type entry struct {
	record   record
	revision uint64
	// seen is when this node first knew of the revision: never before it was
	// written, and so never before it was sent.
	seen cluster.Instant
	// newest is the highest revision that was seen, beats how many of them were
	// written by an owner that must be alive; see lively.
	newest uint64
	beats  int
	// told is set when it was logged that it is a twin.
	told bool
	// retryAt is before when no attempt to evict it is made.
	retryAt cluster.Instant

	// gone is true when the record is there no more. hold is then when its
	// owner must have stopped, where that is not certain already.
	gone   bool
	goneAt cluster.Instant
	hold   cluster.Instant
	// unproven is set while the watch has not shown yet that it is gone.
	unproven bool

	showing showing
}

// showing is what the newest view says of an entry that time alone can change.
type showing struct {
	status           cluster.Status
	reachable, shown bool
}

// remembered is for how many TTLs a record that is gone is known: a list that
// comes from an old state shows it again, and must not make it young.
const remembered = 10

// lively is after how many TTLs of watching a new revision cannot be by an owner
// that died before: what is late has arrived by then.
const lively = 2

func newRoster() roster { return roster{entries: make(map[string]*entry), deaf: true} }

// restart tells that the watch begins again, with a list.
func (r *roster) restart() { r.listing, r.deaf = nil, true }

// apply takes an event of the watch that has come by now.
func (r *roster) apply(now cluster.Instant, e Event) (err error) {
	r.revision = max(r.revision, e.Revision)
	switch {
	case e.Kind == Reset:
		r.listing, r.deaf = make(map[string]told), false
	case r.deaf:
	case e.Kind == Put:
		rec, unreadable := decode(e.Key, e.Value)
		t := told{record: rec, revision: e.Revision, readable: unreadable == nil}
		if r.listing != nil {
			r.listing[e.Key] = t
		} else {
			r.put(now, e.Key, t)
		}
		return unreadable
	case e.Kind == Deleted && r.listing != nil:
		delete(r.listing, e.Key)
	case e.Kind == Deleted:
		if x := r.entries[e.Key]; x != nil && (!x.gone || x.unproven) {
			// Nothing was missed, so the revision known was its last.
			x.remove(now, x.seen.Add(x.record.ttl))
			r.urgent = true
		}
		r.forget(now)
	case e.Kind == Synced && r.listing != nil:
		r.replace(now)
	}
	return nil
}

// replace makes the list that is complete the roster.
func (r *roster) replace(now cluster.Instant) {
	for name, x := range r.entries {
		if _, listed := r.listing[name]; !listed && !x.gone {
			// It may have been written again and again before it went, unseen.
			x.remove(now, now.Add(x.record.ttl))
		}
		x.unproven = false // what the next deletion follows on is this list
	}
	for name, t := range r.listing {
		r.put(now, name, t)
	}
	if !r.synced {
		r.first = now
	}
	r.listing, r.synced, r.since, r.urgent = nil, true, now, true
	r.forget(now)
}

// forget drops what no list will show any more.
func (r *roster) forget(now cluster.Instant) {
	for name, x := range r.entries {
		if x.gone && now >= x.hold && now >= x.goneAt.Add(remembered*x.record.ttl) {
			delete(r.entries, name)
		}
	}
}

// put takes a record that is there. What cannot be read changes nothing but the
// revision of what could.
func (r *roster) put(now cluster.Instant, name string, t told) {
	x := r.entries[name]
	if x == nil {
		if !t.readable {
			return
		}
		x = &entry{}
		r.entries[name], r.urgent = x, true
	}
	if t.revision > x.newest {
		x.newest = t.revision
		if t.readable && r.synced && now >= r.first.Add(lively*t.record.ttl) {
			x.beats++
		}
	}
	x.renew(now, t.revision)
	x.gone, x.unproven, x.hold = false, false, 0
	if !t.readable {
		return
	}
	if t.record.status == cluster.Up && t.record.age == 0 {
		t.record.age = t.revision
	}
	x.record = t.record
}

// renew takes the revision that the record has.
func (x *entry) renew(now cluster.Instant, revision uint64) {
	if x.revision != revision {
		x.revision, x.seen, x.retryAt = revision, now, 0
	}
}

// remove takes that the record is there no more, and that its owner stops at
// hold at the latest.
func (x *entry) remove(now, hold cluster.Instant) {
	if x.record.status != cluster.Up {
		hold = 0 // it had stopped before, or never begun
	}
	x.gone, x.goneAt, x.unproven, x.hold = true, now, false, hold
}

// vanish takes that the record is there no more, by an answer of the engine. The
// watch has not shown how that came about, and may have more to show before.
func (x *entry) vanish(now cluster.Instant) {
	x.remove(now, now.Add(x.record.ttl))
	x.unproven = true
}

// reachable is until when the node has heard of the record lately: it may miss
// one heartbeat, and not two.
func (x *entry) reachable() cluster.Instant { return x.seen.Add(2 * x.record.ttl / 3) }

// silent is when the record has been silent for long enough to be evicted by a
// node with that TTL, which was last fenced until awake.
func (x *entry) silent(ttl time.Duration, awake cluster.Instant) cluster.Instant {
	return max(x.seen, awake).Add(max(ttl, x.record.ttl))
}

// member is the entry as the view shows it.
func (x *entry) member(now cluster.Instant) cluster.Member {
	m := cluster.Member{
		Key:    x.record.key,
		Status: x.record.status,
		Roles:  x.record.roles,
		Age:    x.record.age,
		Seen:   x.seen,
		Meta:   x.record.meta,
	}
	if x.gone {
		m.Status, m.HoldUntil = cluster.Removed, x.hold
	} else {
		m.Reachable = now < x.reachable()
	}
	return m
}
