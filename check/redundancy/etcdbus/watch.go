package etcdbus

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// Subscribe calls receive for each message until ctx ends or the watch breaks. The
// client resumes it by itself where a connection broke. What waits for receive is
// bounded as a redundancy.LocalBus bounds it.
func (b *Bus) Subscribe(ctx context.Context, receive func(message []byte)) error {
	if b == nil || b.client == nil {
		return errNoBus
	}
	ctx, broken := context.WithCancelCause(ctx)
	waiting := redundancy.NewLocalBus()
	ended := make(chan struct{})
	defer func() {
		broken(nil)
		<-ended
	}()
	go func() {
		defer close(ended)
		broken(b.watch(ctx, waiting))
	}()
	return explain("subscribe", waiting.Subscribe(ctx, receive))
}

// watch hands on what is written from now on. Where that was compacted before it
// was told, it begins again.
func (b *Bus) watch(ctx context.Context, to *redundancy.LocalBus) error {
	for {
		if err := b.watchOnce(ctx, to); !errors.Is(err, rpctypes.ErrCompacted) {
			return err
		}
	}
}

// watchOnce watches. A server that has lost its leader would be silent for as long,
// and is made to break the watch.
func (b *Bus) watchOnce(ctx context.Context, to *redundancy.LocalBus) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for resp := range b.client.Watch(ctx, b.prefix, clientv3.WithPrefix(), clientv3.WithFilterDelete()) {
		if err := resp.Err(); err != nil {
			return err
		}
		for _, change := range resp.Events {
			if topic, ok := b.topicOf(string(change.Kv.Key)); ok {
				_ = to.Publish(ctx, topic, change.Kv.Value) // what it refuses no Bus has sent
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return errors.New("closed by the client")
}

// topicOf returns the topic of a record. Those that are further below belong to
// others.
func (b *Bus) topicOf(key string) (topic string, ok bool) {
	topic, publisher, found := strings.Cut(strings.TrimPrefix(key, b.prefix), "/")
	return topic, found && !strings.Contains(publisher, "/")
}
