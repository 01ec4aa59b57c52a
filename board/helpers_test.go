package board_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loopvitals/loopvitals/board"
)

// handClock is a clock that stands until it is moved. It begins at Unix 0, as
// the mock clocks of the field do: zero must not mean "never" (X26).
type handClock struct{ at atomic.Int64 }

func (c *handClock) Now() time.Time       { return time.Unix(0, c.at.Load()) }
func (c *handClock) move(d time.Duration) { c.at.Add(int64(d)) }
func (c *handClock) set(d time.Duration)  { c.at.Store(int64(d)) }
func ms(n int) time.Duration              { return time.Duration(n) * time.Millisecond }

// newBoard returns a board on a clock that stands at zero.
func newBoard(opts ...board.Option) (*board.Board, *handClock) {
	c := &handClock{}
	return board.New(append([]board.Option{board.WithClock(c)}, opts...)...), c
}

// register adds one processor or fails the test.
func register(t *testing.T, b *board.Board, id string) *board.Reporter {
	t.Helper()
	r, err := b.Register(board.Spec{ID: id})
	if err != nil {
		t.Fatalf("register %q: %v", id, err)
	}
	return r
}

// observe returns what the board holds for a key that must be on it.
func observe(t *testing.T, b *board.Board, key string) board.Observation {
	t.Helper()
	o, ok := b.Get(key)
	if !ok {
		t.Fatalf("%q is not on the board", key)
	}
	return o
}

// differ tells how two observations differ; an emptied buffer is no workers.
func differ(a, b board.Observation) string {
	return cmp.Diff(a, b, cmpopts.EquateErrors(), cmpopts.EquateEmpty())
}
