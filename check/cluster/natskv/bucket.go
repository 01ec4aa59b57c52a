package natskv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// bucket is an open bucket and the stream below it, through which more can be
// learned than through the bucket.
type bucket struct {
	kv      jetstream.KeyValue
	stream  jetstream.Stream
	prefix  string // of the subjects of the records
	created time.Time
}

// history is for how many writes of one record a watch may be behind before it
// has to begin again: the whole goodbye of a member, and some heartbeats.
const history = 8

// open returns the bucket, and makes it when it is missing and was never seen.
// It holds no lock while it waits for the servers.
func (kv *KV) open(ctx context.Context) (*bucket, error) {
	kv.mu.Lock()
	known, broken := kv.bucket, kv.broken
	kv.mu.Unlock()
	if known != nil || broken != nil {
		return known, broken
	}
	fresh, err := kv.find(ctx)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", kv.name, err)
	}
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.bucket == nil {
		kv.bucket = fresh
	}
	return kv.bucket, nil
}

// find asks for the bucket, makes it if need be, and judges it.
func (kv *KV) find(ctx context.Context) (*bucket, error) {
	store, err := kv.js.KeyValue(ctx, kv.name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		store, err = kv.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket:      kv.name,
			Description: "members of a cluster; keep it without a TTL",
			History:     history,
			Replicas:    kv.replicas,
		})
		if errors.Is(err, jetstream.ErrBucketExists) { // a peer was faster
			store, err = kv.js.KeyValue(ctx, kv.name)
		}
	}
	if err != nil {
		return nil, err
	}
	stream, err := kv.js.Stream(ctx, "KV_"+kv.name)
	if err != nil {
		return nil, err
	}
	info := stream.CachedInfo()
	if err := suits(info.Config); err != nil {
		return nil, err
	}
	return &bucket{kv: store, stream: stream, prefix: "$KV." + kv.name + ".", created: info.Created}, nil
}

// suits refuses a bucket that forgets records by itself, or whose sequences are
// not the ones that writes are numbered by.
func suits(c jetstream.StreamConfig) error {
	switch {
	case c.MaxAge != 0:
		return fmt.Errorf("TTL %v: must be none, since records are removed by the members", c.MaxAge)
	case c.MaxMsgs > 0:
		return fmt.Errorf("maximum of messages %d: must be none, since it would remove records", c.MaxMsgs)
	case c.Discard != jetstream.DiscardNew && c.MaxBytes > 0:
		return fmt.Errorf("maximum of bytes %d that discards old messages: must discard new ones", c.MaxBytes)
	case c.Mirror != nil || len(c.Sources) > 0:
		return errors.New("copied from another stream: must be the original")
	}
	return nil
}

// same fails, and all that follows with it, when the bucket is gone or another
// one. Ages are sequences of its stream, and those of another one begin anew.
func (kv *KV) same(b *bucket, info *jetstream.StreamInfo, err error) error {
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		err = errors.New("was deleted; restart this process to make it again")
	case err != nil:
		return err
	case !info.Created.Equal(b.created):
		err = errors.New("was deleted and made again; restart this process to join it")
	default:
		return nil
	}
	kv.mu.Lock()
	defer kv.mu.Unlock()
	kv.broken = fmt.Errorf("bucket %s: %w", kv.name, err)
	kv.bucket = nil
	return kv.broken
}
