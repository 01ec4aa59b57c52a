package resubscribe

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// SubscriberConfig says how a Subscriber works. A zero field is not set and takes
// its default.
type SubscriberConfig struct {
	// Supervisory subscribes supervised. Without it each subscription is one
	// plain request, whatever the peer can do.
	Supervisory bool
	// Capability is what this kind of peer calls the supervised subscription of
	// many items in one request. Empty is BulkSupervisory.
	Capability string
	// Parallel is how many requests may be under way at a time. 0 is
	// DefaultParallel.
	Parallel int
}

// Subscriber subscribes to items in one request where the peer can do that, and
// otherwise by one that adds all items and one to advise each, with the same
// results and the same handles (S3.19). It belongs to one session and remembers
// the handles of the items that are subscribed. It may be used by any number of
// goroutines. A nil and a zero Subscriber fail for every item.
type Subscriber struct {
	client      Client
	supervisory bool
	batched     bool
	slots       chan struct{} // has an element for each request that is under way

	mu      sync.Mutex
	handles map[string]Handle
	calls   uint64
	asker   map[string]uint64 // by item, the newest call that has not ended
}

// NewSubscriber returns a Subscriber of the session. What the peer can do is taken
// from the session now, and not asked again.
func NewSubscriber(session *Session, client Client, c SubscriberConfig) (*Subscriber, error) {
	if session == nil {
		return nil, errors.New("resubscribe: session nil: must be set")
	}
	if v := reflect.ValueOf(client); client == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("resubscribe: client nil: must be set")
	}
	if c.Parallel < 0 {
		return nil, fmt.Errorf("resubscribe: parallel %d: must be at least 1", c.Parallel)
	}
	if c.Parallel == 0 {
		c.Parallel = DefaultParallel
	}
	if c.Capability == "" {
		c.Capability = BulkSupervisory
	}
	return &Subscriber{
		client:      client,
		supervisory: c.Supervisory,
		batched:     !c.Supervisory || session.Supports(c.Capability),
		slots:       make(chan struct{}, c.Parallel),
		handles:     make(map[string]Handle),
		asker:       make(map[string]uint64),
	}, nil
}

// Batched tells whether a subscription is one request, and not one and one more
// for each item.
func (s *Subscriber) Batched() bool { return s != nil && s.batched }

// Subscribe subscribes to the items that have no handle yet, and returns one
// result for each item, in their order. An item that is there twice is sent once.
// An item that failed has no handle afterwards, so that the next call adds it
// again; those that succeeded are kept and cost no further request (S3.16). It
// returns when ctx ends, with the cause of that for the items without an answer.
//
// About each item the newest call decides: the answers to a call that was
// overtaken change no handle (S3.9).
func (s *Subscriber) Subscribe(ctx context.Context, items []string) Results {
	results := make(Results, len(items))
	for i, item := range items {
		results[i] = Result{Item: item, Err: errNoSubscriber}
	}
	if s == nil || s.client == nil {
		return results
	}
	call, missing := s.begin(results)
	answers := s.request(ctx, missing)
	s.end(call, missing, answers)

	answered := make(map[string]Added, len(missing))
	for i, item := range missing {
		answered[item] = answers[i]
	}
	for i := range results {
		if a, found := answered[results[i].Item]; found {
			results[i].settle(a)
		}
	}
	return results
}

// begin settles the items that have a handle, lists the others, each once, and
// makes this call the one that decides about those.
func (s *Subscriber) begin(results Results) (call uint64, missing []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	for i := range results {
		item := results[i].Item
		if handle, subscribed := s.handles[item]; subscribed {
			results[i].settle(Added{Handle: handle})
			continue
		}
		if s.asker[item] != s.calls {
			s.asker[item] = s.calls
			missing = append(missing, item)
		}
	}
	return s.calls, missing
}

// end keeps the handles of the items that no newer call has asked for.
func (s *Subscriber) end(call uint64, missing []string, answers []Added) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, item := range missing {
		if s.asker[item] != call {
			continue
		}
		delete(s.asker, item)
		if answers[i].Err == nil {
			s.handles[item] = answers[i].Handle
		}
	}
}

// Handle returns the handle of an item that is subscribed.
func (s *Subscriber) Handle(item string) (h Handle, subscribed bool) {
	if s == nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, subscribed = s.handles[item]
	return h, subscribed
}

// Forget drops the handles of items that the peer no longer has, so that the next
// call of Subscribe adds them again. The answers to calls that are under way are
// dropped for these items.
func (s *Subscriber) Forget(items ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, item := range items {
		delete(s.handles, item)
		delete(s.asker, item)
	}
}
