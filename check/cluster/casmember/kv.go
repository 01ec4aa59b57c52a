package casmember

import (
	"context"
	"errors"
)

// What a KV answers when it is certain. Every other error means that the outcome
// is not known: the write may have been done, or may be done yet.
var (
	// ErrConflict is the certain answer of Create when the key is there, and of
	// Update and Delete when the record is there at another revision.
	ErrConflict = errors.New("casmember: the record has another revision")
	// ErrGone is the certain answer of Get, Update and Delete when the key is
	// not there. A false ErrGone is the one lie that breaks the rules, so it
	// must come from what a quorum has agreed on, and not from one replica.
	ErrGone = errors.New("casmember: the record is not there")
)

// KV is what an engine has to offer: records at revisions that the engine counts
// up, over the whole cluster and for every write. Calls may come from several
// goroutines. Each must return soon after its context has ended; one that does
// not is contained, and its node loses its claim meanwhile. It may panic, which
// counts as an unknown outcome.
type KV interface {
	// Create writes a record that must not be there.
	Create(ctx context.Context, key string, value []byte) (revision uint64, err error)
	// Update writes a record that must be there at the revision.
	Update(ctx context.Context, key string, value []byte, revision uint64) (newRevision uint64, err error)
	// Delete deletes a record that must be there at the revision.
	Delete(ctx context.Context, key string, revision uint64) error
	// Get returns the revision of the record. It is linearizable: it sees every
	// write that was acknowledged before it was called. Where an engine cannot
	// promise that of a read, the revision may be an old one, but ErrGone may
	// not.
	Get(ctx context.Context, key string) (revision uint64, err error)
	// Watch tells sink all records, and then every change of them in order,
	// until the context ends or the watch breaks, which it returns. The first
	// event is Reset, the records follow as Put, and then Synced: together they
	// are one state of the engine, which may be an old one, with nothing older
	// left out. Nor is any change after that: an engine that keeps the last
	// revision only, and so cannot tell a slow watcher of those before, must begin
	// another list where it has skipped one. A list may tell a record several
	// times, of which the last one counts, and a deletion may be told more than
	// once. Lists and watches may be begun again within one call, with another
	// Reset. sink is called by one goroutine at a time and returns at once.
	Watch(ctx context.Context, sink func(Event)) error
}

// EventKind says what an Event tells.
type EventKind uint8

const (
	// Reset begins a list: what was told before it no longer counts once the
	// list is Synced.
	Reset EventKind = iota + 1
	// Put is a record, new or changed.
	Put
	// Deleted is a record that is no longer there.
	Deleted
	// Synced ends a list.
	Synced
)

// Event is one thing that a watch tells.
type Event struct {
	Kind     EventKind
	Key      string
	Value    []byte // of Put; kept by nobody after sink has returned
	Revision uint64 // of Put and, where the engine has it, of Deleted
}
