package etcdbus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// Bus carries messages as records below a prefix. It is a redundancy.Bus, and safe
// for concurrent use. Make one with New.
type Bus struct {
	client    *clientv3.Client
	prefix    string
	publisher string
	lease     *lease
}

// maxPrefix is in bytes.
const maxPrefix = 256

// New returns a Bus for the keys below prefix, 1 to 256 bytes, of which a slash at
// the end does not count. Clusters that share an etcd need prefixes of their own,
// also different from those that they keep their members under. New does not ask
// the servers anything, so they need not be there.
func New(client *clientv3.Client, prefix string) (*Bus, error) {
	if client == nil {
		return nil, errors.New("etcdbus: client nil: must not be nil")
	}
	folder := strings.TrimRight(prefix, "/")
	if folder == "" || len(folder) > maxPrefix {
		return nil, fmt.Errorf("etcdbus: prefix %.300q: must be 1 to %d bytes beside slashes at the end", prefix, maxPrefix)
	}
	return &Bus{client: client, prefix: folder + "/", publisher: rand.Text(), lease: newLease(client)}, nil
}

var errNoBus = errors.New("etcdbus: bus nil: must be made with New")

// Publish writes a message, and returns when the servers have it. While they cannot
// be reached that is when ctx has ended.
func (b *Bus) Publish(ctx context.Context, topic string, message []byte) error {
	if b == nil || b.client == nil {
		return errNoBus
	}
	if err := redundancy.CheckMessage(topic, message); err != nil {
		return explain("publish", err)
	}
	if err := context.Cause(ctx); err != nil {
		return explain("publish", err)
	}
	return explain("publish", b.put(ctx, b.prefix+topic+"/"+b.publisher, string(message)))
}

// put writes a record, under another lease where the servers know the present one
// no more, such as after a sleep of the host.
func (b *Bus) put(ctx context.Context, key, value string) error {
	id, err := b.lease.current(ctx, clientv3.NoLease)
	if err != nil {
		return err
	}
	_, err = b.client.Put(ctx, key, value, clientv3.WithLease(id))
	if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return err
	}
	if id, err = b.lease.current(ctx, id); err != nil {
		return err
	}
	_, err = b.client.Put(ctx, key, value, clientv3.WithLease(id))
	return err
}

// explain names the operation that failed.
func explain(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("etcdbus: %s: %w", operation, err)
}
