package natskv

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

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
		return 0, err
	}
	revision, err := b.kv.Create(ctx, key, value)
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		return 0, casmember.ErrConflict
	case err != nil:
		return 0, fmt.Errorf("natskv: create: %w", err)
	}
	return revision, nil
}

// Update writes a record that must be there at the revision.
func (kv *KV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	b, err := kv.open(ctx)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		return 0, b.refused(ctx, key) // for NATS, 0 would create it
	}
	newRevision, err := b.kv.Update(ctx, key, value, revision)
	switch {
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return 0, b.refused(ctx, key)
	case err != nil:
		return 0, fmt.Errorf("natskv: update: %w", err)
	}
	return newRevision, nil
}

// Delete deletes a record that must be there at the revision.
func (kv *KV) Delete(ctx context.Context, key string, revision uint64) error {
	b, err := kv.open(ctx)
	if err != nil {
		return err
	}
	if revision == 0 {
		return b.refused(ctx, key) // for NATS, 0 would delete it anyhow
	}
	err = b.kv.Delete(ctx, key, jetstream.LastRevision(revision))
	switch {
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return b.refused(ctx, key)
	case err != nil:
		return fmt.Errorf("natskv: delete: %w", err)
	}
	return nil
}

// Get returns the revision of the record, which may be an old one. That it is
// gone was proven by a write.
func (kv *KV) Get(ctx context.Context, key string) (uint64, error) {
	b, err := kv.open(ctx)
	if err != nil {
		return 0, err
	}
	return b.get(ctx, key)
}
