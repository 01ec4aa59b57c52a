package casmember_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// engine is a store in the memory of a bubble: linearizable, with every change
// that it ever took, so that a watch can begin in the past.
type engine struct {
	// marks is set where the proof that a record is gone is another mark of its
	// deletion, which watches tell, as in NATS.
	marks bool
	// forgets is set where only the newest change of a record is kept, so that a
	// watch that lags has to begin again, as in NATS.
	forgets bool

	mu      sync.Mutex
	records map[string]stored
	latest  map[string]uint64 // the revision of the newest change, by key
	history []casmember.Event // of revision i+1 at i
	times   []time.Time       // when each was written
	changed chan struct{}
}

type stored struct {
	value    []byte
	revision uint64
}

func newEngine() *engine {
	return &engine{records: make(map[string]stored), latest: make(map[string]uint64), changed: make(chan struct{})}
}

// commit appends a change. The caller holds the mutex.
func (e *engine) commit(ev casmember.Event) uint64 {
	ev.Revision = uint64(len(e.history)) + 1
	e.history, e.times = append(e.history, ev), append(e.times, time.Now())
	e.latest[ev.Key] = ev.Revision
	if ev.Kind == casmember.Put {
		e.records[ev.Key] = stored{ev.Value, ev.Revision}
	} else {
		delete(e.records, ev.Key)
	}
	close(e.changed)
	e.changed = make(chan struct{})
	return ev.Revision
}

func (e *engine) create(key string, value []byte) (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.records[key]; ok {
		return 0, casmember.ErrConflict
	}
	return e.commit(casmember.Event{Kind: casmember.Put, Key: key, Value: value}), nil
}

func (e *engine) update(key string, value []byte, revision uint64) (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch r, ok := e.records[key]; {
	case !ok:
		return 0, casmember.ErrGone
	case r.revision != revision:
		return 0, casmember.ErrConflict
	}
	return e.commit(casmember.Event{Kind: casmember.Put, Key: key, Value: value}), nil
}

func (e *engine) remove(key string, revision uint64) (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch r, ok := e.records[key]; {
	case !ok:
		return 0, casmember.ErrGone
	case revision != 0 && r.revision != revision:
		return 0, casmember.ErrConflict
	}
	return e.commit(casmember.Event{Kind: casmember.Deleted, Key: key}), nil
}

func (e *engine) get(key string) (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r, ok := e.records[key]; ok {
		return r.revision, nil
	}
	if e.marks {
		e.commit(casmember.Event{Kind: casmember.Deleted, Key: key})
	}
	return 0, casmember.ErrGone
}

// revision is the newest one, and wait is closed when there is another.
func (e *engine) revision() (newest uint64, wait <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return uint64(len(e.history)), e.changed
}

// at is the list of records as it was at a revision, the one that was not written
// for longest first.
func (e *engine) at(revision uint64) []casmember.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	state := make(map[string]casmember.Event)
	for _, ev := range e.history[:revision] {
		if ev.Kind == casmember.Put {
			state[ev.Key] = ev
		} else {
			delete(state, ev.Key)
		}
	}
	return slices.SortedFunc(maps.Values(state), func(a, b casmember.Event) int {
		return cmp.Compare(a.Revision, b.Revision)
	})
}

// change is the one of the revision, unless it was forgotten.
func (e *engine) change(revision uint64) (ev casmember.Event, kept bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ev = e.history[revision-1]
	return ev, !e.forgets || e.latest[ev.Key] == revision
}

// key is the key of the record of an incarnation, or nothing.
func (e *engine) key(incarnation string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for k := range e.records {
		if strings.HasSuffix(k, "."+incarnation) {
			return k
		}
	}
	return ""
}

// statuses are what the record of a life said, one after the other.
func (e *engine) statuses(life cluster.Key) (statuses []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.history {
		switch {
		case !strings.HasSuffix(ev.Key, "."+life.Incarnation):
		case ev.Kind == casmember.Deleted:
			statuses = append(statuses, "deleted")
		default:
			var r struct{ Status string }
			_ = json.Unmarshal(ev.Value, &r)
			statuses = append(statuses, r.Status)
		}
	}
	return statuses
}
