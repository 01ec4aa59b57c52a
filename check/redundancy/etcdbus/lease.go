package etcdbus

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// leaseTTL is when a record is gone at the latest after its last write.
	leaseTTL = 60 * time.Second
	// leaseUse is how long new records hang on one lease. What remains of the
	// TTL is the least that a record lasts.
	leaseUse = 20 * time.Second
)

// lease grants leases, one after the other. None is kept alive, so nothing needs to
// run, and those of a publisher that is gone end by themselves.
type lease struct {
	client *clientv3.Client
	turn   chan struct{} // a lock that can be waited for with a context
	id     clientv3.LeaseID
	since  time.Time
}

func newLease(client *clientv3.Client) *lease {
	return &lease{client: client, turn: make(chan struct{}, 1)}
}

// current returns a lease to write under, which is not the one that has failed.
func (l *lease) current(ctx context.Context, failed clientv3.LeaseID) (clientv3.LeaseID, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return clientv3.NoLease, context.Cause(ctx)
	}
	if l.id != clientv3.NoLease && l.id != failed && time.Since(l.since) < leaseUse {
		return l.id, nil
	}
	asked := time.Now()
	granted, err := l.client.Grant(ctx, int64(leaseTTL/time.Second))
	if err != nil {
		return clientv3.NoLease, err
	}
	l.id, l.since = granted.ID, asked
	return l.id, nil
}
