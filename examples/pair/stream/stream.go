// Package stream keeps what goes into the alarm loops and what comes out of them:
// two streams of a NATS server, readings and transitions.
package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
)

const (
	readings    = "pair-readings"
	transitions = "pair-transitions"
)

// ErrMoved is the answer of Append when the stream has gone on: somebody else has
// appended, or an earlier Append was done whose answer was lost.
var ErrMoved = errors.New("stream: it has gone on")

// ErrUnreadable is wrapped by the error of a message that is there and holds something
// else than it should.
var ErrUnreadable = errors.New("must be JSON of its kind")

// Streams are both streams. All methods may be called by any goroutine.
type Streams struct {
	js jetstream.JetStream

	mu     sync.Mutex
	opened map[string]jetstream.Stream
}

// New returns the streams of a server. It does no I/O.
func New(js jetstream.JetStream) *Streams {
	return &Streams{js: js, opened: map[string]jetstream.Stream{}}
}

// Create makes the streams where they are not there. Both nodes may do it.
func (s *Streams) Create(ctx context.Context) error {
	for _, name := range []string{readings, transitions} {
		if _, err := s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: name, Subjects: []string{name}, AllowDirect: true,
		}); err != nil {
			return fmt.Errorf("stream %s: %w", name, err)
		}
	}
	return nil
}

// Measure adds a reading to the input.
func (s *Streams) Measure(ctx context.Context, r alarm.Reading) (seq uint64, err error) {
	return s.publish(ctx, readings, r)
}

// Reading returns the first reading with the number or a larger one; found is
// false when there is none yet. With an error that wraps ErrUnreadable seq is that of
// the message to go past.
func (s *Streams) Reading(ctx context.Context, from uint64) (seq uint64, r alarm.Reading, found bool, err error) {
	seq, found, err = s.next(ctx, readings, from, &r)
	return seq, r, found, err
}

// Append adds a transition to the output, if the last message there has the
// position, which is 0 in an empty stream. It returns the transition's position.
//
// This is what makes a transition appear once, whoever sends it and how often: a
// sender who does not know what is there is refused, however late its message
// arrives. To leave out what has an id that was seen would do for as long as the
// server remembers ids, two minutes, and a process can be frozen for longer.
func (s *Streams) Append(ctx context.Context, last uint64, t alarm.Transition) (position uint64, err error) {
	position, err = s.publish(ctx, transitions, t, jetstream.WithExpectLastSequence(last))
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return 0, ErrMoved
	}
	return position, err
}

// Last returns the newest transition of the output with its position, which is 0
// when there is none.
func (s *Streams) Last(ctx context.Context) (position uint64, t alarm.Transition, err error) {
	m, err := s.last(ctx, transitions)
	if m == nil || err != nil {
		return 0, t, err
	}
	return m.Sequence, t, json.Unmarshal(m.Data, &t)
}

// Transition returns the first transition at the position or a later one; found
// is false when there is none yet.
func (s *Streams) Transition(ctx context.Context, from uint64) (position uint64, t alarm.Transition, found bool, err error) {
	position, found, err = s.next(ctx, transitions, from, &t)
	return position, t, found, err
}

func (s *Streams) publish(ctx context.Context, name string, v any, opts ...jetstream.PublishOpt) (uint64, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	ack, err := s.js.Publish(ctx, name, text, opts...)
	if err != nil {
		return 0, fmt.Errorf("stream %s: %w", name, err)
	}
	return ack.Sequence, nil
}

func (s *Streams) next(ctx context.Context, name string, from uint64, into any) (seq uint64, found bool, err error) {
	stream, err := s.open(ctx, name)
	if err != nil {
		return 0, false, err
	}
	m, err := stream.GetMsg(ctx, max(from, 1), jetstream.WithGetMsgSubject(name))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("stream %s: %w", name, err)
	}
	if err := json.Unmarshal(m.Data, into); err != nil {
		return m.Sequence, true, fmt.Errorf("stream %s: message %d: %w: %w", name, m.Sequence, ErrUnreadable, err)
	}
	return m.Sequence, true, nil
}

func (s *Streams) last(ctx context.Context, name string) (*jetstream.RawStreamMsg, error) {
	stream, err := s.open(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := stream.GetLastMsgForSubject(ctx, name)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", name, err)
	}
	return m, nil
}

// open asks the server for the stream once.
func (s *Streams) open(ctx context.Context, name string) (jetstream.Stream, error) {
	s.mu.Lock()
	stream := s.opened[name]
	s.mu.Unlock()
	if stream != nil {
		return stream, nil
	}
	stream, err := s.js.Stream(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", name, err)
	}
	s.mu.Lock()
	s.opened[name] = stream
	s.mu.Unlock()
	return stream, nil
}
