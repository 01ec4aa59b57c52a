package stream

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
	"github.com/loopvitals/loopvitals/examples/pair/engine"
	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns the streams of a server of their own.
func open(t *testing.T) (*Streams, context.Context) {
	t.Helper()
	address, err := freeport.Address("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- engine.Serve(serving, engine.NATS, address, t.TempDir(), func() { close(ready) }) }()
	t.Cleanup(func() { stop(); <-done })
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	conn, js, err := engine.DialNATS([]string{address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s := New(js)
	for range 2 { // by both nodes
		if err := s.Create(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return s, ctx
}

func TestReadings(t *testing.T) {
	s, ctx := open(t)
	if _, _, found, err := s.Reading(ctx, 1); found || err != nil {
		t.Errorf("in an empty stream: %v, %v", found, err)
	}
	for i := range 3 {
		if _, err := s.Measure(ctx, alarm.Reading{Tag: "a", Value: float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range []uint64{1, 1, 2, 3} {
		seq, r, found, err := s.Reading(ctx, uint64(from))
		if seq != want || r.Value != float64(want-1) || !found || err != nil {
			t.Errorf("from %d: got %d, %+v, %v, %v", from, seq, r, found, err)
		}
	}
	if _, _, found, err := s.Reading(ctx, 4); found || err != nil {
		t.Errorf("behind the end: %v, %v", found, err)
	}
}

// TestReadingThatIsNone: whoever reads the input can go past what it cannot read.
func TestReadingThatIsNone(t *testing.T) {
	s, ctx := open(t)
	if _, err := s.publish(ctx, readings, "no reading"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Measure(ctx, alarm.Reading{Tag: "a"}); err != nil {
		t.Fatal(err)
	}
	seq, _, found, err := s.Reading(ctx, 1)
	if seq != 1 || !found || !errors.Is(err, ErrUnreadable) {
		t.Errorf("got %d, %v, %v", seq, found, err)
	}
	if seq, r, found, err := s.Reading(ctx, seq+1); seq != 2 || r.Tag != "a" || !found || err != nil {
		t.Errorf("behind it: got %d, %+v, %v, %v", seq, r, found, err)
	}
}

// TestAppendOnce: two senders with the same transitions, one of them behind.
func TestAppendOnce(t *testing.T) {
	s, ctx := open(t)
	if position, _, err := s.Last(ctx); position != 0 || err != nil {
		t.Errorf("in an empty stream: %d, %v", position, err)
	}
	first, second := alarm.Transition{Seq: 7, Tag: "a", Raised: true}, alarm.Transition{Seq: 9, Tag: "a"}
	position, err := s.Append(ctx, 0, first)
	if position != 1 || err != nil {
		t.Fatalf("got %d, %v", position, err)
	}
	// The same again, as by a sender who was frozen on the way.
	if _, err := s.Append(ctx, 0, first); !errors.Is(err, ErrMoved) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Append(ctx, 2, second); !errors.Is(err, ErrMoved) {
		t.Errorf("after a message that is not there: got %v", err)
	}
	if position, err = s.Append(ctx, 1, second); position != 2 || err != nil {
		t.Errorf("got %d, %v", position, err)
	}
	if position, last, err := s.Last(ctx); position != 2 || last != second || err != nil {
		t.Errorf("got %d, %+v, %v", position, last, err)
	}
	for from, want := range []alarm.Transition{first, first, second} {
		position, got, found, err := s.Transition(ctx, uint64(from))
		if got != want || position != uint64(max(from, 1)) || !found || err != nil {
			t.Errorf("from %d: got %d, %+v, %v, %v", from, position, got, found, err)
		}
	}
}
