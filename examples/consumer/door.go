package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// door is where customers place orders. What it keeps in memory meanwhile is held
// against a limit, and beside that it knows nothing of limits.
type door struct {
	clock  *clock
	js     jetstream.JetStream
	hold   func(bytes int64) (release func(), ok bool)
	placed atomic.Uint64
}

// largestOrder is in bytes.
const largestOrder = 4 << 10

func (d *door) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", d.place)
	return mux
}

// receipt is the answer to an order that was taken.
type receipt struct {
	Number uint64 `json:"number"`
}

// place takes an order, once it has a number and is in the stream. An order whose
// customer was told nothing may be there all the same, under a number of its own.
func (d *door) place(w http.ResponseWriter, r *http.Request) {
	release, ok := d.hold(largestOrder)
	if !ok {
		http.Error(w, "no room", http.StatusServiceUnavailable)
		return
	}
	defer release()
	var o order
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestOrder))
	if err != nil || json.Unmarshal(text, &o) != nil || o.Customer == "" || o.Cents <= 0 {
		http.Error(w, "not an order", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if o.Number, err = d.clock.next(); err == nil {
		err = d.publish(ctx, o)
	}
	if err != nil {
		http.Error(w, "not taken", http.StatusServiceUnavailable)
		return
	}
	d.placed.Add(1)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(receipt{o.Number}) // the client may be gone: its loss
}

func (d *door) publish(ctx context.Context, o order) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = d.js.Publish(ctx, subject, body)
	return err
}

// orderCounts is how far the orders have come, for whoever compares.
type orderCounts struct {
	Placed uint64 `json:"placed"`
	Stored uint64 `json:"stored"`
	Billed int    `json:"billed"`
}

// countOrders answers GET /orders.
func (a *app) countOrders(w http.ResponseWriter, r *http.Request) {
	// The later stages are counted first, so that no count is above the one before.
	c := orderCounts{Billed: a.accounts.booked()}
	var err error
	if c.Stored, err = a.db.stored(r.Context()); err != nil {
		http.Error(w, "the database is away", http.StatusServiceUnavailable)
		return
	}
	c.Placed = a.publisher.placed.Load()
	if a.node != nil {
		c.Placed += a.node.door.placed.Load()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(c) // the client may be gone: its loss
}
