package resubscribe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// endsLater is a context that is found ended at the second look, once all that was
// begun by then has ended.
type endsLater struct {
	context.Context
	looks int
}

func (c *endsLater) Err() error {
	if c.looks++; c.looks == 1 {
		return nil
	}
	synctest.Wait()
	return context.Canceled
}

// TestAnswersAsTheContextEnds keeps an answer that was there when the context was
// found ended, if it is a good one.
func TestAnswersAsTheContextEnds(t *testing.T) {
	for _, failure := range []error{nil, errors.New("whatever a client says then")} {
		synctest.Test(t, func(t *testing.T) {
			replies := each(&endsLater{Context: t.Context()}, make(chan struct{}, 1), 1, func(int) (int, error) {
				return 7, failure
			})
			if got := replies[0]; failure == nil && (got.value != 7 || got.err != nil) || failure != nil && errors.Is(got.err, failure) {
				t.Errorf("call that ended with %v: %+v", failure, got)
			}
		})
	}
}

// failing is a Client that refuses everything.
type failing struct{}

func (failing) Add(context.Context, []string) ([]Added, error) { return nil, errors.New("no") }

func (failing) AdviseSupervisory(context.Context, Handle) error { return errors.New("no") }

func (failing) Subscribe(context.Context, []string, bool) ([]Added, error) {
	return nil, errors.New("no")
}

// TestNothingIsKeptOfFailures would otherwise be a leak where items come and go.
func TestNothingIsKeptOfFailures(t *testing.T) {
	s, err := NewSubscriber(newSession(time.Minute, Opened{}), failing{}, SubscriberConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Subscribe(t.Context(), []string{"a", "b"}).Err() == nil {
		t.Error("no error")
	}
	if len(s.asker)+len(s.handles)+len(s.slots) != 0 {
		t.Errorf("kept %v, %v and %d slots", s.asker, s.handles, len(s.slots))
	}
}
