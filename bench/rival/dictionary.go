package rival

import (
	"sync"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
)

// Snapshot is what one report leaves behind: a record that is replaced as a
// whole and never changed, so that a reader cannot see a mixed one.
type Snapshot struct {
	ID          string
	Faulted     bool
	Lag         int64
	Rebuilding  bool
	At          time.Time
	HasReported bool
}

// Dictionary is the concurrent map of records.
type Dictionary interface {
	// Report replaces the record of id. The time is read by the caller, as the
	// design has it.
	Report(id string, faulted bool, lag int64, rebuilding bool, at time.Time)
	// Get returns the record of id, or one that says that nothing was reported.
	Get(id string) Snapshot
	// IDs returns a fresh list of all keys.
	IDs() []string
}

// XSync is the Dictionary over xsync.Map, the faster of the two: the record
// lies in the map's entry, so a report costs one allocation, as many as the
// design costs with a ConcurrentDictionary.
type XSync struct{ records *xsync.Map[string, Snapshot] }

// NewXSync returns an empty dictionary.
func NewXSync() *XSync { return &XSync{records: xsync.NewMap[string, Snapshot]()} }

// Report implements Dictionary.
func (d *XSync) Report(id string, faulted bool, lag int64, rebuilding bool, at time.Time) {
	d.records.Store(id, Snapshot{ID: id, Faulted: faulted, Lag: lag, Rebuilding: rebuilding, At: at, HasReported: true})
}

// Get implements Dictionary.
func (d *XSync) Get(id string) Snapshot {
	if s, ok := d.records.Load(id); ok {
		return s
	}
	return Snapshot{ID: id}
}

// IDs implements Dictionary.
func (d *XSync) IDs() []string {
	ids := make([]string, 0, d.records.Size())
	d.records.Range(func(id string, _ Snapshot) bool {
		ids = append(ids, id)
		return true
	})
	return ids
}

// SyncMap is the Dictionary over the standard library's sync.Map: what one
// writes first. A report costs three allocations (key, record, entry).
type SyncMap struct{ records sync.Map }

// NewSyncMap returns an empty dictionary.
func NewSyncMap() *SyncMap { return &SyncMap{} }

// Report implements Dictionary.
func (d *SyncMap) Report(id string, faulted bool, lag int64, rebuilding bool, at time.Time) {
	d.records.Store(id, &Snapshot{ID: id, Faulted: faulted, Lag: lag, Rebuilding: rebuilding, At: at, HasReported: true})
}

// Get implements Dictionary.
func (d *SyncMap) Get(id string) Snapshot {
	if s, ok := d.records.Load(id); ok {
		return *s.(*Snapshot)
	}
	return Snapshot{ID: id}
}

// IDs implements Dictionary.
func (d *SyncMap) IDs() []string {
	var ids []string
	d.records.Range(func(id, _ any) bool {
		ids = append(ids, id.(string))
		return true
	})
	return ids
}
