package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// lease is one replica's claim on a key of a JetStream bucket. The key exists
// while somebody holds it. Create succeeds for one replica only; the holder
// renews by writing against the revision that it wrote last; a holder that
// dies stops renewing, and the bucket forgets the key after ttl.
type lease struct {
	kv     jetstream.KeyValue
	key    string
	holder string
	ttl    time.Duration // as long as the bucket keeps a key

	mu      sync.Mutex
	refused bool          // this replica was told not to compete
	changed chan struct{} // closed when refused changes
	until   time.Time     // held for certain until then; zero when not held
}

func newLease(kv jetstream.KeyValue, key, holder string, ttl time.Duration) *lease {
	return &lease{kv: kv, key: key, holder: holder, ttl: ttl, changed: make(chan struct{})}
}

// hold waits until this replica has the lease, then calls work with a context
// that ends when the lease is given up or may be lost. It returns after work
// did, with work's error.
func (l *lease) hold(ctx context.Context, work func(context.Context) error) error {
	revision, err := l.acquire(ctx)
	if err != nil {
		return nil // only the end of ctx ends the wait
	}
	term, end := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		defer end()
		revision = l.keep(term, revision)
	}()
	defer func() {
		end()
		<-kept
		l.release(ctx, revision)
	}()
	return work(term)
}

// held says whether this replica holds the lease at this moment, for certain.
func (l *lease) held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	// Two clocks, and the earlier end counts: the monotonic one stands still
	// while the host sleeps, the calendar one can be set back.
	return now.Before(l.until) && now.Round(0).Before(l.until.Round(0))
}

// compete tells this replica whether to take the lease when it is free.
// compete(false) also gives up a lease that is held.
func (l *lease) compete(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == !yes {
		return
	}
	l.refused = !yes
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *lease) acquire(ctx context.Context) (revision uint64, err error) {
	for ctx.Err() == nil {
		refused, changed := l.wish()
		if !refused {
			// The lease counts from before the request: the server starts its
			// own count later, so ours ends first.
			asked := time.Now()
			if revision, err = l.kv.Create(ctx, l.key, []byte(l.holder)); err == nil {
				l.holdUntil(asked.Add(l.ttl))
				return revision, nil
			}
			// Held by another replica, or the server is away: try again.
		}
		l.pause(ctx, changed)
	}
	return 0, ctx.Err()
}

// keep renews until the lease is refused, lost or not renewable in time, and
// returns the last revision written.
func (l *lease) keep(ctx context.Context, revision uint64) uint64 {
	for {
		refused, changed := l.wish()
		if refused || !l.held() {
			return revision
		}
		l.pause(ctx, changed)
		if ctx.Err() != nil {
			return revision
		}
		asked := time.Now()
		attempt, cancel := context.WithTimeout(ctx, l.ttl/4)
		next, err := l.kv.Update(attempt, l.key, []byte(l.holder), revision)
		cancel()
		switch {
		case err == nil:
			revision = next
			l.holdUntil(asked.Add(l.ttl))
		case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
			l.holdUntil(time.Time{}) // another replica wrote the key
			return revision
		}
	}
}

// release frees the key for the next replica at once, if it is still ours.
// When that fails the bucket forgets the key by itself.
func (l *lease) release(ctx context.Context, revision uint64) {
	l.holdUntil(time.Time{})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.ttl)
	defer cancel()
	_ = l.kv.Delete(ctx, l.key, jetstream.LastRevision(revision))
}

func (l *lease) wish() (refused bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused, l.changed
}

func (l *lease) holdUntil(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = t
}

// pause waits a quarter of the lease, less long when ctx ends or the wish
// changes: three renewals may fail before the lease is lost.
func (l *lease) pause(ctx context.Context, changed <-chan struct{}) {
	t := time.NewTimer(l.ttl / 4)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-t.C:
	}
}
