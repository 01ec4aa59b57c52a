package natskv

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// operation is the header of a message that is no record but marks its end.
const operation = "KV-Operation"

// isRecord tells a record from the mark of its end, and from the empty message
// that prove leaves for a moment.
func isRecord(header nats.Header, value []byte) bool {
	return len(value) > 0 && header.Get(operation) == "" && header.Get(jetstream.MarkerReasonHeader) == ""
}

// attempts is how often get reads again what was written meanwhile.
const attempts = 5

// get reads the record from any replica, and has a write prove that it is gone.
func (b *bucket) get(ctx context.Context, key string) (uint64, error) {
	for attempt := 1; ; attempt++ {
		revision, err := b.getOnce(ctx, key)
		if attempt == attempts || !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return revision, err
		}
	}
}

func (b *bucket) getOnce(ctx context.Context, key string) (uint64, error) {
	last, err := b.stream.GetLastMsgForSubject(ctx, b.prefix+key)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, b.prove(ctx, key, 0)
	case err != nil:
		return 0, err
	case isRecord(last.Header, last.Data):
		return last.Sequence, nil
	default:
		return 0, b.prove(ctx, key, last.Sequence)
	}
}

// prove returns ErrGone if the last that the stream has of the key is still the
// message at the sequence, which is not a record; 0 is no message at all. A
// replica that is behind may have told either. What proves it is another mark,
// that only goes in behind that message; when it does not, the error is
// ErrKeyRevisionMismatch.
func (b *bucket) prove(ctx context.Context, key string, sequence uint64) error {
	if sequence == 0 { // a mark cannot be made to depend on nothing, so it depends on an empty message
		empty, err := b.kv.Update(ctx, key, nil, 0)
		if err != nil {
			return fmt.Errorf("proving that it is gone: %w", err)
		}
		sequence = empty
	}
	if err := b.kv.Delete(ctx, key, jetstream.LastRevision(sequence)); err != nil {
		return fmt.Errorf("proving that it is gone: %w", err)
	}
	return casmember.ErrGone
}

// refused says why a write was refused that depended on a revision: the record
// has another one, or is gone.
func (b *bucket) refused(ctx context.Context, key string) error {
	if _, err := b.get(ctx, key); err != nil {
		return err
	}
	return casmember.ErrConflict
}
