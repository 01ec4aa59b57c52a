package natskv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

const (
	// heartbeat is how often the server must say something; a watch that hears
	// nothing for two of them has broken.
	heartbeat = time.Second
	// inactive is after which time the server forgets a consumer that nobody
	// asks any more.
	inactive = 30 * time.Second
)

// Watch tells sink all records and then their changes. It returns when the
// connection breaks, even if it is soon back: a consumer that went on from where
// it was would miss a record whose mark was removed meanwhile.
func (kv *KV) Watch(ctx context.Context, sink func(casmember.Event)) error {
	return kv.explain("watch", kv.watch(ctx, sink))
}

func (kv *KV) watch(ctx context.Context, sink func(casmember.Event)) error {
	b, err := kv.open(ctx)
	if err != nil {
		return err
	}
	info, err := b.stream.Info(ctx)
	if err := kv.same(b, info, err); err != nil {
		return err
	}
	ctx, stop := kv.whileConnected(ctx)
	defer stop()
	err = b.watch(ctx, info.State.LastSeq, sink)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// whileConnected returns a context that ends when the connection breaks.
func (kv *KV) whileConnected(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	conn := kv.js.Conn()
	broken := conn.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-broken:
			cancel(errors.New("the connection broke"))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		conn.RemoveStatusListener(broken)
	}
}

// watch reads the stream from its beginning, where the last that is told of each
// record makes the list, and goes on with what is added. From then on nothing may
// be left out: a message that was superseded before it was told comes later, as
// another one, and behind members that became Up after it.
func (b *bucket) watch(ctx context.Context, end uint64, sink func(casmember.Event)) error {
	consumer, err := b.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverAllPolicy,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: inactive,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	l := list{bucket: b, end: end}
	sink(casmember.Event{Kind: casmember.Reset})
	if consumer.CachedInfo().NumPending == 0 {
		l.synced = true
		sink(casmember.Event{Kind: casmember.Synced})
	}
	last := end
	for expected := uint64(1); ; expected++ {
		listed := l.synced
		message, err := l.next(ctx, messages)
		if err != nil {
			return err
		}
		meta, err := message.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != expected {
			return fmt.Errorf("message %d came in place of %d", meta.Sequence.Consumer, expected)
		}
		if listed && meta.Sequence.Stream != last+1 {
			return fmt.Errorf("sequence %d came after %d: what was between is superseded", meta.Sequence.Stream, last)
		}
		last = meta.Sequence.Stream
		if e, ok := b.event(message, meta.Sequence.Stream); ok {
			sink(e)
		}
		if l.synced {
			continue
		}
		complete, err := l.complete(ctx, meta.Sequence.Stream)
		if err != nil {
			return err
		}
		if complete {
			l.synced = true
			sink(casmember.Event{Kind: casmember.Synced})
		}
	}
}

// event is what a message tells.
func (b *bucket) event(m jetstream.Msg, sequence uint64) (casmember.Event, bool) {
	key := strings.TrimPrefix(m.Subject(), b.prefix)
	switch {
	case key == barrier:
		return casmember.Event{}, false
	case isRecord(m.Headers(), m.Data()):
		return casmember.Event{Kind: casmember.Put, Key: key, Value: m.Data(), Revision: sequence}, true
	default:
		return casmember.Event{Kind: casmember.Deleted, Key: key, Revision: sequence}, true
	}
}
