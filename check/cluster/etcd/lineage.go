package etcd

import (
	"fmt"
	"sync"
)

// lineage watches that the store is the one it was, and that its revisions only
// grow. Ages are revisions: one that was given twice would put a new member in
// front of an old one that still acts. What was seen to be broken stays so.
type lineage struct {
	mu       sync.Mutex
	cluster  uint64
	revision int64
	broken   error
}

// err returns what is wrong with the store.
func (l *lineage) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// newest returns the highest revision that was seen.
func (l *lineage) newest() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.revision
}

// observe takes what an answer says of the store. The answer must be no older
// than the revision atLeast.
func (l *lineage) observe(cluster uint64, revision, atLeast int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.broken != nil:
	case l.cluster != 0 && cluster != l.cluster:
		l.broken = fmt.Errorf("cluster %x: was %x before; restart this process to join the new one", cluster, l.cluster)
	case revision < atLeast:
		l.broken = fmt.Errorf("revision %d: was %d before, so the store has lost writes; restart this process to join again", revision, atLeast)
	default:
		l.cluster, l.revision = cluster, max(l.revision, revision)
	}
	return l.broken
}
