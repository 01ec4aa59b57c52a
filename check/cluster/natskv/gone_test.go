package natskv

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// behind is a stream whose reads are answered by a replica that is behind: with
// what was there some time ago. It stands in for one that cannot be held back at
// will.
type behind struct {
	jetstream.Stream
	answer *jetstream.RawStreamMsg // nil: no message
	reads  int                     // until it has caught up; negative: never
}

func (s *behind) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if s.reads == 0 {
		return s.Stream.GetLastMsgForSubject(ctx, subject)
	}
	s.reads--
	if s.answer == nil {
		return nil, jetstream.ErrMsgNotFound
	}
	return s.answer, nil
}

// F4: a record that is there must never be told to be gone, however old the
// answer to a read is.
func TestGetFromAReplicaThatIsBehind(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	ctx := t.Context()
	old, err := kv.Create(ctx, "a.1", []byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(ctx, "a.1", old); err != nil {
		t.Fatal(err)
	}
	real := kv.bucket.stream
	mark, err := real.GetLastMsgForSubject(ctx, kv.bucket.prefix+"a.1")
	if err != nil {
		t.Fatal(err)
	}
	revision, err := kv.Create(ctx, "a.1", []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]*jetstream.RawStreamMsg{"nothing": nil, "a mark": mark} {
		t.Run(name, func(t *testing.T) {
			kv.bucket.stream = &behind{real, answer, -1}
			if _, err := kv.Get(ctx, "a.1"); err == nil || errors.Is(err, casmember.ErrGone) || errors.Is(err, casmember.ErrConflict) {
				t.Errorf("error %v, want one that is not certain", err)
			}
			kv.bucket.stream = &behind{real, answer, 2}
			if got, err := kv.Get(ctx, "a.1"); got != revision || err != nil {
				t.Errorf("revision %d and error %v of a replica that catches up, want %d", got, err, revision)
			}
			kv.bucket.stream = &behind{real, answer, -1}
			if _, err := kv.Update(ctx, "a.1", []byte("x"), revision-1); err == nil || errors.Is(err, casmember.ErrGone) {
				t.Errorf("refused update: error %v, want not that it is gone", err)
			}
		})
	}
	kv.bucket.stream = real
	if got, err := kv.Get(ctx, "a.1"); got != revision || err != nil {
		t.Errorf("revision %d and error %v after the reads, want %d as before", got, err, revision)
	}
}

// A process that dies while it proves leaves an empty message, which is no
// record to anybody.
func TestEmptyMessageIsNoRecord(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	ctx := t.Context()
	if _, err := kv.Get(ctx, "none.1"); !errors.Is(err, casmember.ErrGone) {
		t.Fatalf("error %v, want %v", err, casmember.ErrGone)
	}
	if _, err := operator(t, s.address()).Put(ctx, "a.1", nil); err != nil {
		t.Fatal(err)
	}
	for _, key := range listed(t, kv) {
		t.Errorf("the list has %s, want no record", key)
	}
	if _, err := kv.Get(ctx, "a.1"); !errors.Is(err, casmember.ErrGone) {
		t.Errorf("error %v, want %v", err, casmember.ErrGone)
	}
}

// listed is what the first watch that does not break before tells first.
func listed(t testing.TB, kv *KV) (keys []string) {
	t.Helper()
	until(t, "a watch tells a list", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), testLimit)
		defer cancel()
		synced := false
		_ = kv.Watch(ctx, func(e casmember.Event) {
			if e.Key == barrier {
				t.Errorf("told %v, which is no record", e)
			}
			switch e.Kind {
			case casmember.Reset:
				keys = nil
			case casmember.Put:
				if !slices.Contains(keys, e.Key) { // a history has several of one record
					keys = append(keys, e.Key)
				}
			case casmember.Synced:
				synced = true
				cancel()
			}
		})
		return synced
	})
	return keys
}
