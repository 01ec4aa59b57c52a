package natskv

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// testLimit is how long a test waits for what must come.
const testLimit = 30 * time.Second

// A stream may end with a sequence whose message was removed. The list must not
// wait for it until somebody writes.
func TestListWithoutItsLastMessage(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	if _, err := kv.Create(t.Context(), "a.1", []byte("one")); err != nil {
		t.Fatal(err)
	}
	revision, err := kv.Create(t.Context(), "b.1", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "b.1", revision); err != nil {
		t.Fatal(err)
	}
	if err := operator(t, s.address()).PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds what the first has written
		if got := listed(t, kv); !slices.Equal(got, []string{"a.1"}) {
			t.Errorf("list %v, want a.1 only", got)
		}
	}
}

// A bucket with a history has old revisions in its stream.
func TestListOfABucketWithHistory(t *testing.T) {
	s := startServer(t)
	if _, err := connect(t, s.address()).CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucketOfTests, History: 8}); err != nil {
		t.Fatal(err)
	}
	kv := newKV(t, s.address())
	revision, err := kv.Create(t.Context(), "a.1", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	if revision, err = kv.Update(t.Context(), "a.1", []byte("two"), revision); err != nil {
		t.Fatal(err)
	}
	events := make(chan casmember.Event, 16)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = kv.Watch(ctx, func(e casmember.Event) { events <- e })
		close(events)
	}()
	var last casmember.Event
	for e := range events {
		if e.Kind == casmember.Synced {
			break
		}
		last = e
	}
	if string(last.Value) != "two" || last.Revision != revision {
		t.Errorf("the list ends with %q at %d, want the newest, %q at %d", last.Value, last.Revision, "two", revision)
	}
	cancel()
	for range events {
	}
}

// A consumer can vanish while the connection stays: its server restarts, or an
// operator deletes it. The watch must break, and not be silent.
func TestWatchWhoseConsumerIsGone(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	synced := make(chan struct{})
	returned := make(chan error, 1)
	go func() {
		returned <- kv.Watch(t.Context(), func(e casmember.Event) {
			if e.Kind == casmember.Synced {
				close(synced)
			}
		})
	}()
	<-synced
	stream, err := connect(t, s.address()).Stream(t.Context(), "KV_"+bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	for consumer := range stream.ListConsumers(t.Context()).Info() {
		if err := stream.DeleteConsumer(t.Context(), consumer.Name); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-returned:
		if err == nil {
			t.Error("no error, want what broke the watch")
		}
	case <-time.After(testLimit):
		t.Fatal("the watch goes on without its consumer")
	}
}

// A connection that was broken for a moment breaks the watch.
func TestWatchEndsWithTheConnection(t *testing.T) {
	s := startServer(t)
	js := connect(t, s.address())
	kv, err := New(js, bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	err = kv.Watch(t.Context(), func(e casmember.Event) {
		if e.Kind == casmember.Synced {
			go func() { _ = js.Conn().ForceReconnect() }()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the connection broke") {
		t.Errorf("error %v, want that the connection broke", err)
	}
}

// Ages are sequences, so a bucket that counts anew must not be joined by a
// process that has seen the old one.
func TestBucketThatWasDeleted(t *testing.T) {
	s := startServer(t)
	admin := connect(t, s.address())
	for name, again := range map[string]bool{"and is gone": false, "and made again": true} {
		t.Run(name, func(t *testing.T) {
			kv := newKV(t, s.address())
			revision, err := kv.Create(t.Context(), "a.1", []byte("one"))
			if err != nil {
				t.Fatal(err)
			}
			if err := admin.DeleteKeyValue(t.Context(), bucketOfTests); err != nil {
				t.Fatal(err)
			}
			if again {
				if _, err := newKV(t, s.address()).Create(t.Context(), "b.1", []byte("one")); err != nil {
					t.Fatal(err)
				}
			}
			refused := func(what string, err error) {
				t.Helper()
				if err == nil || errors.Is(err, casmember.ErrGone) || errors.Is(err, casmember.ErrConflict) ||
					!strings.Contains(err.Error(), "restart this process") {
					t.Errorf("%s: error %v, want one that says what to do", what, err)
				}
			}
			refused("watch", kv.Watch(t.Context(), func(e casmember.Event) { t.Errorf("told %v", e) }))
			_, err = kv.Update(t.Context(), "a.1", []byte("two"), revision)
			refused("update", err)
			_, err = kv.Get(t.Context(), "a.1")
			refused("get", err)
			_, err = kv.Create(t.Context(), "c.1", []byte("one"))
			refused("create", err)
			refused("delete", kv.Delete(t.Context(), "a.1", revision))
			if again {
				if _, err := newKV(t, s.address()).Get(t.Context(), "b.1"); err != nil {
					t.Errorf("a new process: error %v, want none", err)
				}
			}
			_ = admin.DeleteKeyValue(t.Context(), bucketOfTests)
		})
	}
}

// lossy is a stream whose consumers lose their second message on the way, as a
// connection can that breaks and is back before anybody looks.
type lossy struct{ jetstream.Stream }

func (s lossy) CreateConsumer(ctx context.Context, c jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	consumer, err := s.Stream.CreateConsumer(ctx, c)
	return lossyConsumer{consumer}, err
}

type lossyConsumer struct{ jetstream.Consumer }

func (c lossyConsumer) Messages(opts ...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	messages, err := c.Consumer.Messages(opts...)
	return &lossyMessages{MessagesContext: messages}, err
}

type lossyMessages struct {
	jetstream.MessagesContext
	count int
}

func (m *lossyMessages) Next(opts ...jetstream.NextOpt) (jetstream.Msg, error) {
	if m.count++; m.count == 2 {
		if lost, err := m.MessagesContext.Next(opts...); err != nil {
			return lost, err
		}
	}
	return m.MessagesContext.Next(opts...)
}

func TestWatchThatLosesAMessage(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	for _, key := range []string{"a.1", "b.1", "c.1"} {
		if _, err := kv.Create(t.Context(), key, []byte("one")); err != nil {
			t.Fatal(err)
		}
	}
	kv.bucket.stream = lossy{kv.bucket.stream}
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	err := kv.Watch(ctx, func(e casmember.Event) {
		if e.Kind == casmember.Synced || e.Key == "c.1" {
			t.Errorf("told %v after a message was lost", e)
			cancel()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "message 3 came in place of 2") {
		t.Errorf("error %v, want that a message was lost", err)
	}
}
