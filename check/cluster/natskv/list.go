package natskv

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// barrier is the key of a message that is no record; see list.next. No
	// member has it, since their keys have a dot.
	barrier = "_"
	// patience is how long a list waits for the message that ends it.
	patience = 250 * time.Millisecond
)

// list finds out when a watch has told one whole state of the stream. A count
// of the messages would not do: a record that is written again while the list
// is read has left its place and comes later, behind members that are younger
// than it. The list is whole when its last message is the last of the stream:
// nothing was superseded by something that is yet to come.
type list struct {
	bucket *bucket
	end    uint64 // the last sequence of the stream when it was last asked
	synced bool
}

// complete tells whether the list is whole with the message at the sequence.
func (l *list) complete(ctx context.Context, sequence uint64) (bool, error) {
	if sequence < l.end {
		return false, nil
	}
	info, err := l.bucket.stream.Info(ctx)
	if err != nil {
		return false, err
	}
	l.end = info.State.LastSeq
	return sequence >= l.end, nil
}

// next returns the next message. The last sequence of a stream may belong to a
// message that was removed, as a compaction removes old marks, and the list
// would wait for it until a member writes. So it writes itself, and makes a last
// message that is there.
func (l *list) next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	for !l.synced {
		wait, cancel := context.WithTimeout(ctx, patience)
		message, err := messages.Next(jetstream.NextContext(wait))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return message, err
		}
		if err := l.bucket.kv.Delete(ctx, barrier); err != nil {
			return nil, err
		}
	}
	return messages.Next(jetstream.NextContext(ctx))
}
