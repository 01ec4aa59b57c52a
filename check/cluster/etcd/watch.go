package etcd

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// listLimit is how long a list may take. The client tries again for as long as
// it is let, and nobody would hear why.
const listLimit = 5 * time.Second

// Watch tells sink all records and then their changes. It lists anew when what
// it has to tell next was compacted, and returns on all other breaks.
func (kv *KV) Watch(ctx context.Context, sink func(casmember.Event)) error {
	for {
		revision, err := kv.list(ctx, sink)
		if err != nil {
			return explain("list", err)
		}
		if err := kv.follow(ctx, revision+1, sink); !errors.Is(err, rpctypes.ErrCompacted) {
			return explain("watch", err)
		}
	}
}

// list tells all records as they are at one revision, which it returns.
func (kv *KV) list(ctx context.Context, sink func(casmember.Event)) (int64, error) {
	atLeast := kv.lineage.newest()
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	resp, err := kv.client.Get(ctx, kv.prefix, clientv3.WithPrefix())
	if err != nil {
		return 0, err
	}
	if err := kv.lineage.observe(resp.Header.ClusterId, resp.Header.Revision, atLeast); err != nil {
		return 0, err
	}
	sink(casmember.Event{Kind: casmember.Reset})
	for _, record := range resp.Kvs {
		sink(casmember.Event{
			Kind:     casmember.Put,
			Key:      string(record.Key[len(kv.prefix):]),
			Value:    record.Value,
			Revision: uint64(record.ModRevision),
		})
	}
	sink(casmember.Event{Kind: casmember.Synced})
	return resp.Header.Revision, nil
}

// follow tells the changes from the revision on. The client resumes by itself
// where a connection broke. A server that has lost its leader would be silent
// for as long, and is made to break the watch.
func (kv *KV) follow(ctx context.Context, revision int64, sink func(casmember.Event)) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for resp := range kv.client.Watch(ctx, kv.prefix, clientv3.WithPrefix(), clientv3.WithRev(revision)) {
		if err := resp.Err(); err != nil {
			return err
		}
		if err := kv.lineage.observe(resp.Header.ClusterId, resp.Header.Revision, 0); err != nil {
			return err
		}
		for _, change := range resp.Events {
			kind := casmember.Put
			if change.Type == clientv3.EventTypeDelete {
				kind = casmember.Deleted
			}
			sink(casmember.Event{
				Kind:     kind,
				Key:      string(change.Kv.Key[len(kv.prefix):]),
				Value:    change.Kv.Value,
				Revision: uint64(change.Kv.ModRevision),
			})
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return errors.New("closed by the client")
}
