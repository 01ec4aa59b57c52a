package natskv

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// tellLate runs a watch that has its list, lets writes happen while the server
// tells it nothing, as a replica that lags does, and returns what it tells then,
// up to the first event of the key until, or how it ended.
func tellLate(t *testing.T, s *natsServer, until string, writes func()) (told []string, broken error) {
	t.Helper()
	events := make(chan casmember.Event, 64)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	watcher := newKV(t, s.address())
	go func() {
		ended <- watcher.Watch(ctx, func(e casmember.Event) {
			e.Value = slices.Clone(e.Value)
			events <- e
		})
	}()
	for e := range events {
		if e.Kind == casmember.Synced {
			break
		}
	}
	stream, err := connect(t, s.address()).Stream(t.Context(), "KV_"+bucketOfTests)
	if err != nil {
		t.Fatal(err)
	}
	var consumer string
	for info := range stream.ListConsumers(t.Context()).Info() {
		consumer = info.Name
	}
	if _, err := stream.PauseConsumer(t.Context(), consumer, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	writes()
	if _, err := stream.ResumeConsumer(t.Context(), consumer); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case e := <-events:
			told = append(told, strings.TrimSpace(e.Key+" "+string(e.Value)))
			if e.Key == until {
				cancel()
				<-ended
				return told, nil
			}
		case err := <-ended:
			cancel()
			return told, err
		case <-time.After(testLimit):
			t.Fatal("the watch neither goes on nor breaks")
		}
	}
}

// write creates the record or updates it, until it has all values.
func write(t *testing.T, kv *KV, key string, revision uint64, values ...string) uint64 {
	t.Helper()
	for _, value := range values {
		var err error
		if revision == 0 {
			revision, err = kv.Create(t.Context(), key, []byte(value))
		} else {
			revision, err = kv.Update(t.Context(), key, []byte(value), revision)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return revision
}

// A watch that is behind tells all that it has missed, in order: above all a
// member that became Up before another one, and the goodbye of one that left.
func TestWatchThatIsBehind(t *testing.T) {
	s := startServer(t)
	kv := newKV(t, s.address())
	older, younger := write(t, kv, "a.1", 0, "joining"), write(t, kv, "b.1", 0, "joining")
	told, err := tellLate(t, s, "c.1", func() {
		older = write(t, kv, "a.1", older, "up")
		write(t, kv, "b.1", younger, "up")
		older = write(t, kv, "a.1", older, "up, again", "leaving", "exiting")
		if err := kv.Delete(t.Context(), "a.1", older); err != nil {
			t.Fatal(err)
		}
		write(t, kv, "c.1", 0, "joining")
	})
	want := []string{"a.1 up", "b.1 up", "a.1 up, again", "a.1 leaving", "a.1 exiting", "a.1", "c.1 joining"}
	if err != nil || !slices.Equal(told, want) {
		t.Errorf("told %q, and then %v; want %q", told, err, want)
	}
}

// Where the bucket keeps too little to tell all of it, the watch must break: the
// newer write of a member comes behind others that became Up after it.
func TestWatchThatIsTooFarBehind(t *testing.T) {
	s := startServer(t)
	if _, err := connect(t, s.address()).CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucketOfTests}); err != nil {
		t.Fatal(err)
	}
	kv := newKV(t, s.address())
	older, younger := write(t, kv, "a.1", 0, "joining"), write(t, kv, "b.1", 0, "joining")
	told, err := tellLate(t, s, "b.1", func() {
		older = write(t, kv, "a.1", older, "up")
		write(t, kv, "b.1", younger, "up")
		write(t, kv, "a.1", older, "up, again")
	})
	if err == nil {
		t.Errorf("told %q: the older member is not Up when the younger one is", told)
	}
}
