package casmember

import (
	"strconv"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// life is one incarnation of this node: what it has written, and what the engine
// has acknowledged of it.
type life struct {
	record record
	name   string
	// revision is the newest that the record is known to have; 0 before there
	// is one.
	revision uint64
	// doubt is set by every write that did not succeed for certain; a read ends
	// it, and no write is sent before (F4).
	doubt bool
	// sure tells that no other write of this node at the revision can be on its
	// way: it was acknowledged, or seen to be newer than all that were tried.
	sure bool
	// rising tells that the writes at the revision are those that make the
	// record Up, so that whatever newer revision is found is the age.
	rising bool

	// confirmed is when the last acknowledged write was sent; fence is until
	// when it is good.
	confirmed, fence cluster.Instant

	// entered tells that the watch has shown this life as Up. witness is when
	// the list was complete from which on nothing was missed before that.
	entered bool
	witness cluster.Instant
}

// newLife returns an incarnation that is not known to the engine. The nonce is of
// the process, and count of its lives.
func newLife(c Config, nonce string, count int) life {
	l := life{record: record{
		key:    cluster.Key{Address: c.Address, Incarnation: nonce + "-" + strconv.Itoa(count)},
		status: cluster.Joining,
		roles:  c.Roles, ttl: c.TTL, meta: c.Meta,
	}}
	l.name = l.record.name()
	return l
}

// next is the record to write. The step to Up is taken once it is due, and only
// from a revision with nothing else on its way: else an earlier write that
// arrives late could be taken for it, and its revision for the age.
func (l *life) next(upIsDue bool) record {
	if l.record.status == cluster.Joining && upIsDue && l.revision != 0 && l.sure {
		l.rising = true
	}
	r := l.record
	if l.rising && r.status == cluster.Joining {
		r.status = cluster.Up
	}
	return r
}

// acknowledge takes that a write which was sent at the instant has the revision,
// and is good for that long. Nothing else moves the fence (F3).
func (l *life) acknowledge(sent cluster.Instant, claim time.Duration, revision uint64) {
	l.found(revision)
	l.sure, l.doubt = true, false
	l.confirmed, l.fence = sent, sent.Add(claim)
}

// fail takes that the outcome of a write is not certain. The fence stays.
func (l *life) fail() { l.doubt, l.sure = true, false }

// found takes the revision that the engine says the record has. An older one
// comes from a replica that is behind; it ends the doubt, and the next write is
// refused where it was wrong.
func (l *life) found(revision uint64) {
	l.doubt = false
	if revision <= l.revision {
		return
	}
	if l.rising && l.record.status == cluster.Joining {
		l.record.status, l.record.age = cluster.Up, revision
	}
	l.revision, l.sure = revision, true
}
