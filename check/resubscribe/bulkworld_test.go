package resubscribe_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// Names of the requests that a peer counts.
const (
	requestAdd       = "Add"
	requestAdvise    = "AdviseSupervisory"
	requestSubscribe = "Subscribe"
)

// errNoSuchItem and errNotAdvised are answers of the peer about one item.
var (
	errNoSuchItem = errors.New("no such item")
	errNotAdvised = errors.New("not advised")
)

// peer is a gateway in memory, and its client. An item that it could not advise keeps
// its handle there, so that both paths can be held to the same handles.
type peer struct {
	mu       sync.Mutex
	requests map[string]int
	open     int      // requests under way
	peak     int      // the most of them
	sent     []string // items, in requests that are about many
	handles  map[string]resubscribe.Handle
	next     resubscribe.Handle
	advised  map[string]bool // by item, whether supervised

	cannotAdd, cannotAdvise map[string]bool

	// interrupt is called in each request, with its name and the item or "".
	interrupt func(ctx context.Context, request, item string) error
	miscount  int // how many answers too many are given
}

func newPeer() *peer {
	return &peer{
		requests: map[string]int{}, handles: map[string]resubscribe.Handle{}, advised: map[string]bool{},
		cannotAdd: map[string]bool{}, cannotAdvise: map[string]bool{},
	}
}

// change changes what the peer does while requests may be under way.
func (p *peer) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// begin counts a request; what it returns ends it.
func (p *peer) begin(request string) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[request]++
	p.open++
	p.peak = max(p.peak, p.open)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open--
	}
}

// meddle runs the interruption, outside of the lock.
func (p *peer) meddle(ctx context.Context, request, item string) error {
	p.mu.Lock()
	interrupt := p.interrupt
	p.mu.Unlock()
	if interrupt == nil {
		return ctx.Err()
	}
	return interrupt(ctx, request, item)
}

// add gives an item its handle, which stays the same.
func (p *peer) add(item string) resubscribe.Added {
	if p.cannotAdd[item] {
		return resubscribe.Added{Handle: 99, Err: fmt.Errorf("%w: %s", errNoSuchItem, item)}
	}
	if _, found := p.handles[item]; !found {
		p.next++
		p.handles[item] = p.next
	}
	return resubscribe.Added{Handle: p.handles[item]}
}

func (p *peer) advise(item string, supervisory bool) error {
	if p.cannotAdvise[item] {
		return fmt.Errorf("%w: %s", errNotAdvised, item)
	}
	p.advised[item] = supervisory
	return nil
}

func (p *peer) counted(answers []resubscribe.Added) []resubscribe.Added {
	if p.miscount < 0 {
		return answers[:len(answers)+p.miscount]
	}
	return append(answers, make([]resubscribe.Added, p.miscount)...)
}

func (p *peer) Add(ctx context.Context, items []string) ([]resubscribe.Added, error) {
	defer p.begin(requestAdd)()
	if err := p.meddle(ctx, requestAdd, ""); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, items...)
	answers := make([]resubscribe.Added, 0, len(items))
	for i, item := range items {
		answers = append(answers, p.add(item))
		items[i] = "scribbled over"
	}
	return p.counted(answers), nil
}

func (p *peer) AdviseSupervisory(ctx context.Context, handle resubscribe.Handle) error {
	defer p.begin(requestAdvise)()
	p.mu.Lock()
	item := ""
	for known, h := range p.handles {
		if h == handle {
			item = known
		}
	}
	p.mu.Unlock()
	if err := p.meddle(ctx, requestAdvise, item); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.advise(item, true)
}

func (p *peer) Subscribe(ctx context.Context, items []string, supervisory bool) ([]resubscribe.Added, error) {
	defer p.begin(requestSubscribe)()
	if err := p.meddle(ctx, requestSubscribe, ""); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, items...)
	answers := make([]resubscribe.Added, 0, len(items))
	for i, item := range items {
		a := p.add(item)
		if a.Err == nil {
			a.Err = p.advise(item, supervisory)
		}
		answers = append(answers, a)
		items[i] = "scribbled over"
	}
	return p.counted(answers), nil
}

// total counts all requests.
func (p *peer) total() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := 0
	for _, n := range p.requests {
		sum += n
	}
	return sum
}

// agreed returns a session with a peer that names the capabilities.
func agreed(t *testing.T, capabilities ...string) *resubscribe.Session {
	t.Helper()
	s, err := resubscribe.OpenSession(t.Context(), resubscribe.SessionOptions{},
		func(_ context.Context, limit time.Duration) (resubscribe.Opened, error) {
			return resubscribe.Opened{Capabilities: capabilities, CommandTimeout: limit}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// supervised returns a Subscriber to the peer, in the mode that needs the
// capability.
func supervised(t *testing.T, p resubscribe.Client, capabilities ...string) *resubscribe.Subscriber {
	t.Helper()
	s, err := resubscribe.NewSubscriber(agreed(t, capabilities...), p, resubscribe.SubscriberConfig{Supervisory: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// paths are the two ways to subscribe, by the capabilities that lead there.
var paths = []struct {
	name         string
	capabilities []string
}{
	{"in one request", []string{"unary-invoke", resubscribe.BulkSupervisory}},
	{"item by item", []string{"unary-invoke"}},
}

// names makes n items.
func names(n int) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("tank-%03d", i)
	}
	return items
}

// handlesOf reads the handles a Subscriber remembers.
func handlesOf(s *resubscribe.Subscriber, items []string) map[string]resubscribe.Handle {
	handles := make(map[string]resubscribe.Handle)
	for _, item := range slices.Compact(slices.Sorted(slices.Values(items))) {
		if h, subscribed := s.Handle(item); subscribed {
			handles[item] = h
		}
	}
	return handles
}
