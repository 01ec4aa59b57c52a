package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/examples/gateway"
)

// life is that of a consumer from one deployment to the next. It has a session of its
// own, and begins without items.
type life struct {
	variant variant
	clock   clock
	client  *gateway.Client
	session *resubscribe.Session
	items   []string
	end     func() // returns when all has ended

	mu     sync.Mutex
	sends  []send
	wanted map[resubscribe.Handle]bool // the items that were subscribed to
	fresh  map[resubscribe.Handle]bool // and those that have brought a change
	good   int                         // items that are both
	goodAt time.Duration               // since when they all are
}

// send is one subscribe.
type send struct {
	at, ended time.Duration
	// wait is how long the next is to wait when this one fails.
	wait time.Duration
	// requests is how many it took.
	requests int
	// open says that there is no outcome, and err is that of the others.
	open bool
	err  error
}

// deploy begins a life, which goes on until it is ended.
func deploy(ctx context.Context, name string, v variant, c clock, to grpc.ClientConnInterface) (*life, error) {
	l := &life{
		variant: v, clock: c, client: gateway.NewClient(to),
		wanted: map[resubscribe.Handle]bool{}, fresh: map[resubscribe.Handle]bool{},
	}
	for i := range items {
		l.items = append(l.items, fmt.Sprintf("%s/%03d", name, i))
	}
	guard, err := resubscribe.New(resubscribe.Config{
		Key: name, Floor: c.real(floor), Max: c.real(most), Ceiling: c.real(ceiling),
	})
	if err != nil {
		return nil, err
	}
	if l.session, err = resubscribe.OpenSession(ctx, resubscribe.SessionOptions{CommandTimeout: c.real(v.limit)}, l.client.Open); err != nil {
		return nil, err
	}
	work, cancel := context.WithCancel(ctx)
	var joined sync.WaitGroup
	// Streams and requests that break off are not what this is about: the items then
	// stay as they are.
	joined.Go(func() { _ = l.client.Watch(work, l.change) })
	joined.Go(func() {
		if v.guarded {
			_ = guard.Run(work, func(ctx context.Context, _ resubscribe.Attempt) error {
				return l.subscribe(ctx, c.told(guard.State().Backoff))
			})
			return
		}
		stubborn(work, c.real(retry), func(ctx context.Context) error { return l.subscribe(ctx, retry) })
	})
	l.end = func() {
		cancel()
		joined.Wait()
	}
	return l, nil
}

// subscribe asks for all items, as a request of its own that has no more than the usual
// number under way.
func (l *life) subscribe(ctx context.Context, wait time.Duration) error {
	number := l.begin(wait)
	client := &counting{Client: l.client}
	var results resubscribe.Results
	s, err := resubscribe.NewSubscriber(l.session, client, resubscribe.SubscriberConfig{Supervisory: true})
	if err == nil {
		results = s.Subscribe(ctx, l.items)
		err = results.Err()
	}
	l.finish(number, int(client.requests.Load()), results, err)
	return err
}

func (l *life) begin(wait time.Duration) (number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sends = append(l.sends, send{at: l.clock.now(), wait: wait, open: true})
	return len(l.sends) - 1
}

// finish notes an outcome. That of a subscribe which another has replaced is for the
// record only: its items are not taken.
func (l *life) finish(number, requests int, results resubscribe.Results, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.sends[number]
	s.ended, s.requests, s.open, s.err = l.clock.now(), requests, false, err
	if err != nil || number != len(l.sends)-1 {
		return
	}
	for _, r := range results {
		l.wanted[r.Handle] = true
	}
	l.count()
}

// change is called for each one that comes in.
func (l *life) change(h resubscribe.Handle, _ float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh[h] = true
	l.count()
}

// count counts the good items. The lock is held.
func (l *life) count() {
	l.good = 0
	for h := range l.wanted {
		if l.fresh[h] {
			l.good++
		}
	}
	if l.good == items && l.goodAt == 0 {
		l.goodAt = l.clock.now()
	}
}

// state is how many items are good, and since when they all are.
func (l *life) state() (good int, since time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good, l.goodAt
}

// record returns all sends so far.
func (l *life) record() []send {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]send(nil), l.sends...)
}

// counting counts the requests of one subscribe.
type counting struct {
	resubscribe.Client
	requests atomic.Int64
}

func (c *counting) Add(ctx context.Context, items []string) ([]resubscribe.Added, error) {
	c.requests.Add(1)
	return c.Client.Add(ctx, items)
}

func (c *counting) AdviseSupervisory(ctx context.Context, h resubscribe.Handle) error {
	c.requests.Add(1)
	return c.Client.AdviseSupervisory(ctx, h)
}

func (c *counting) Subscribe(ctx context.Context, items []string, supervisory bool) ([]resubscribe.Added, error) {
	c.requests.Add(1)
	return c.Client.Subscribe(ctx, items, supervisory)
}
