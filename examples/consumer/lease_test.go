package main

import (
	"context"
	"testing"
	"time"
)

const testTTL = 500 * time.Millisecond

func startTestBroker(t *testing.T) *broker {
	t.Helper()
	b, err := startBroker(t.Context(), t.TempDir(), testTTL)
	must(t, err)
	t.Cleanup(b.close)
	return b
}

// compete runs a replica's claim until the test ends, and tells when each term
// began and ended.
func compete(t *testing.T, l *lease) (terms <-chan context.Context) {
	t.Helper()
	began := make(chan context.Context)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = l.hold(ctx, func(term context.Context) error {
				select {
				case began <- term:
				case <-ctx.Done():
				}
				<-term.Done()
				return nil
			})
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return began
}

func TestLeaseHasOneHolder(t *testing.T) {
	b := startTestBroker(t)
	one := newLease(b.leases, "k", "one", testTTL)
	two := newLease(b.leases, "k", "two", testTTL)
	term := <-compete(t, one)
	second := compete(t, two)
	end := time.After(3 * testTTL) // the holder renews, so this is for ever
	for over := false; !over; {
		select {
		case <-end:
			over = true
		case <-term.Done():
			t.Fatal("the holder lost the lease")
		case <-second:
			t.Fatal("two holders")
		case <-time.After(time.Millisecond):
			if !one.held() || two.held() {
				t.Fatalf("held: %v and %v", one.held(), two.held())
			}
		}
	}
	one.compete(false)
	<-term.Done()
	<-second
	if one.held() || !two.held() {
		t.Errorf("after the handover held: %v and %v", one.held(), two.held())
	}
}

// A holder that dies renews no more: the lease is free one TTL later.
func TestLeaseOfADeadHolderExpires(t *testing.T) {
	b := startTestBroker(t)
	_, err := b.leases.Create(t.Context(), "k", []byte("dead"))
	must(t, err)
	l := newLease(b.leases, "k", "heir", testTTL)
	<-compete(t, l)
	entry, err := b.leases.Get(t.Context(), "k")
	must(t, err)
	if got := string(entry.Value()); got != "heir" {
		t.Errorf("holder %q", got)
	}
}

// A key that somebody else wrote ends the term, and is not deleted with it.
func TestLeaseLostByRevision(t *testing.T) {
	b := startTestBroker(t)
	l := newLease(b.leases, "k", "loser", testTTL)
	term := <-compete(t, l)
	_, err := b.leases.Put(t.Context(), "k", []byte("thief"))
	must(t, err)
	<-term.Done()
	entry, err := b.leases.Get(t.Context(), "k")
	must(t, err)
	if got := string(entry.Value()); got != "thief" {
		t.Errorf("holder %q", got)
	}
}

// A holder that cannot renew stops in time: before the bucket lets anybody else
// have the lease.
func TestLeaseEndsWhenTheServerIsAway(t *testing.T) {
	b := startTestBroker(t)
	l := newLease(b.leases, "k", "cut off", testTTL)
	term := <-compete(t, l)
	asked := time.Now()
	b.conn.Close()
	<-term.Done()
	if d := time.Since(asked); d > testTTL+testTTL/2 {
		t.Errorf("held on for %v without a renewal", d)
	}
	if l.held() {
		t.Error("still held")
	}
}

func TestLeaseWaitEndsWithItsContext(t *testing.T) {
	b := startTestBroker(t)
	_, err := b.leases.Create(t.Context(), "k", []byte("other"))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := newLease(b.leases, "k", "late", testTTL)
	must(t, l.hold(ctx, func(context.Context) error { t.Error("held"); return nil }))
	if _, err := b.leases.Get(t.Context(), "k"); err != nil {
		t.Errorf("the other's key: %v", err)
	}
}
