package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
)

// accounts is what billing makes of the orders: a sum for each customer. It can
// be rebuilt from the stream at any time, so it lives in memory.
type accounts struct {
	mu   sync.Mutex
	book map[uint64]order // by sequence: a redelivered order counts once
}

func newAccounts() *accounts { return &accounts{book: map[uint64]order{}} }

// add is billing's unit of work.
func (a *accounts) add(_ context.Context, m message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.book[m.Seq] = m.Order
	return nil
}

// booked counts the orders taken in.
func (a *accounts) booked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.book)
}

// sums returns each customer's total in cents.
func (a *accounts) sums() map[string]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	sums := map[string]int64{}
	for _, o := range a.book {
		sums[o.Customer] += o.Cents
	}
	return sums
}

// replace takes over a rebuilt book. Orders after sequence last arrived while
// the rebuild was reading; they are kept.
func (a *accounts) replace(rebuilt *accounts, last uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for seq, o := range a.book {
		if seq > last {
			rebuilt.book[seq] = o
		}
	}
	a.book = rebuilt.book
}

// ServeHTTP answers with the sums.
func (a *accounts) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a.sums()) // the client may be gone: its loss
}
