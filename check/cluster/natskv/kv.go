package natskv

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// KV keeps records in one bucket. It is a casmember.KV, and safe for concurrent
// use. Make one with New, for each process its own.
type KV struct {
	js       jetstream.JetStream
	name     string
	replicas int

	mu     sync.Mutex
	bucket *bucket
	broken error
}

// Option sets something that has a default.
type Option interface{ apply(*KV) error }

type optionFunc func(*KV) error

func (f optionFunc) apply(kv *KV) error { return f(kv) }

// WithReplicas sets on how many servers the bucket is kept when it is made, 1 to
// 5; 1 without it. With 1, nobody is active while that server is away. It does
// not change a bucket that is there.
func WithReplicas(n int) Option {
	return optionFunc(func(kv *KV) error {
		if n < 1 || n > 5 {
			return fmt.Errorf("natskv: replicas %d: must be 1 to 5", n)
		}
		kv.replicas = n
		return nil
	})
}

var bucketName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// New returns a KV for the bucket, whose name consists of letters, digits, - and
// _. The bucket is made when it is first needed and missing; clusters that share
// a NATS need buckets of their own. New does not ask the servers anything, so
// they need not be there. A bucket that does not suit, such as one with a TTL,
// is told by the first call.
func New(js jetstream.JetStream, bucket string, opts ...Option) (*KV, error) {
	if js == nil {
		return nil, errors.New("natskv: js nil: must not be nil")
	}
	if !bucketName.MatchString(bucket) {
		return nil, fmt.Errorf("natskv: bucket %q: must be letters, digits, - and _", bucket)
	}
	kv := &KV{js: js, name: bucket, replicas: 1}
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o.apply(kv); err != nil {
			return nil, err
		}
	}
	return kv, nil
}

// Create writes a record that must not be there.
func (kv *KV) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	b, err := kv.open(ctx)
	if err != nil {
		return 0, kv.explain("create", err)
	}
	revision, err := b.kv.Create(ctx, key, value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return 0, casmember.ErrConflict
	}
	return revision, kv.explain("create", err)
}

// Update writes a record that must be there at the revision.
func (kv *KV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	b, err := kv.open(ctx)
	if err != nil {
		return 0, kv.explain("update", err)
	}
	if revision == 0 { // for NATS, it would create the record
		return 0, kv.explain("update", b.refused(ctx, key))
	}
	newRevision, err := b.kv.Update(ctx, key, value, revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		err = b.refused(ctx, key)
	}
	return newRevision, kv.explain("update", err)
}

// Delete deletes a record that must be there at the revision.
func (kv *KV) Delete(ctx context.Context, key string, revision uint64) error {
	b, err := kv.open(ctx)
	if err != nil {
		return kv.explain("delete", err)
	}
	if revision == 0 { // for NATS, it would delete the record at any
		return kv.explain("delete", b.refused(ctx, key))
	}
	err = b.kv.Delete(ctx, key, jetstream.LastRevision(revision))
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		err = b.refused(ctx, key)
	}
	return kv.explain("delete", err)
}

// Get returns the revision of the record, which may be an old one. That it is
// gone was proven by a write.
func (kv *KV) Get(ctx context.Context, key string) (uint64, error) {
	b, err := kv.open(ctx)
	if err != nil {
		return 0, kv.explain("get", err)
	}
	revision, err := b.get(ctx, key)
	return revision, kv.explain("get", err)
}

// explain names the operation that failed. Without a connection every call ends
// with its context, and only the connection knows why.
func (kv *KV) explain(operation string, err error) error {
	if err == nil {
		return nil
	}
	if status := kv.js.Conn().Status(); status != nats.CONNECTED {
		return fmt.Errorf("natskv: %s: %w; connection %v: %v", operation, err, status, kv.js.Conn().LastError())
	}
	return fmt.Errorf("natskv: %s: %w", operation, err)
}
