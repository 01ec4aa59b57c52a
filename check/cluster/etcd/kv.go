package etcd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// KV keeps records in etcd, below a prefix. It is a casmember.KV, and safe for
// concurrent use. Make one with New, for each process its own.
type KV struct {
	client  *clientv3.Client
	prefix  string
	lineage lineage
}

// New returns a KV for the keys below prefix, which must not be empty; clusters
// that share an etcd need prefixes of their own. A slash at the end makes no
// difference. New does not ask the servers anything, so they need not be there.
func New(client *clientv3.Client, prefix string) (*KV, error) {
	if client == nil {
		return nil, errors.New("etcd: client nil: must not be nil")
	}
	folder := strings.TrimRight(prefix, "/")
	if folder == "" {
		return nil, fmt.Errorf("etcd: prefix %q: must not be empty", prefix)
	}
	return &KV{client: client, prefix: folder + "/"}, nil
}

// Create writes a record that must not be there.
func (kv *KV) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	revision, err := kv.create(ctx, key, value)
	return revision, explain("create", err)
}

func (kv *KV) create(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := kv.lineage.err(); err != nil {
		return 0, err
	}
	resp, err := kv.client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(kv.prefix+key), "=", 0)).
		Then(clientv3.OpPut(kv.prefix+key, string(value))).
		Commit()
	if err != nil {
		return 0, err
	}
	if !resp.Succeeded {
		return 0, casmember.ErrConflict
	}
	return uint64(resp.Header.Revision), nil
}

// Update writes a record that must be there at the revision.
func (kv *KV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	newRevision, err := kv.swap(ctx, key, revision, clientv3.OpPut(kv.prefix+key, string(value)))
	return newRevision, explain("update", err)
}

// Delete deletes a record that must be there at the revision.
func (kv *KV) Delete(ctx context.Context, key string, revision uint64) error {
	_, err := kv.swap(ctx, key, revision, clientv3.OpDelete(kv.prefix+key))
	return explain("delete", err)
}

// swap does op where the record is at the revision, and else says in the same
// transaction whether it is there at all.
func (kv *KV) swap(ctx context.Context, key string, revision uint64, op clientv3.Op) (uint64, error) {
	if err := kv.lineage.err(); err != nil {
		return 0, err
	}
	if revision == 0 || revision > math.MaxInt64 { // no record has one of these; 0 is what a missing key compares as
		if _, err := kv.get(ctx, key); err != nil {
			return 0, err
		}
		return 0, casmember.ErrConflict
	}
	resp, err := kv.client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(kv.prefix+key), "=", int64(revision))).
		Then(op).
		Else(clientv3.OpGet(kv.prefix+key, clientv3.WithKeysOnly())).
		Commit()
	switch {
	case err != nil:
		return 0, err
	case resp.Succeeded:
		return uint64(resp.Header.Revision), nil
	case len(resp.Responses) == 1 && resp.Responses[0].GetResponseRange().GetCount() == 0:
		return 0, casmember.ErrGone
	default:
		return 0, casmember.ErrConflict
	}
}

// Get returns the revision of the record. It is linearizable.
func (kv *KV) Get(ctx context.Context, key string) (uint64, error) {
	revision, err := kv.get(ctx, key)
	return revision, explain("get", err)
}

func (kv *KV) get(ctx context.Context, key string) (uint64, error) {
	if err := kv.lineage.err(); err != nil {
		return 0, err
	}
	resp, err := kv.client.Get(ctx, kv.prefix+key, clientv3.WithKeysOnly())
	if err != nil {
		return 0, err
	}
	if len(resp.Kvs) == 0 {
		return 0, casmember.ErrGone
	}
	return uint64(resp.Kvs[0].ModRevision), nil
}

// explain names the operation that failed.
func explain(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("etcd: %s: %w", operation, err)
}
