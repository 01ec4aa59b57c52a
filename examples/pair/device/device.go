// Package device is what the active node acts on: something outside of the
// cluster that must not obey two nodes. It knows no cluster. It remembers the
// largest fencing token it has seen, and refuses smaller ones.
package device

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// What a write carries.
const (
	// TokenHeader is the fencing token: cluster.Token, in decimal.
	TokenHeader = "Fencing-Token"
	// FromHeader is the address of the node, for the journal.
	FromHeader = "X-From"
)

// Run is a number of writes that came one after the other from one node with one
// token, and had one answer.
type Run struct {
	Token    uint64 `json:"token"`
	From     string `json:"from"`
	Accepted bool   `json:"accepted"`
	Writes   int    `json:"writes"`
}

// Device answers POST /write with 200, with 409 for a token that is too small,
// and with 400 without one. GET /journal lists all writes in their order.
type Device struct {
	// Trusting accepts every token. It is what a device without this rule does,
	// and is for comparison only.
	Trusting bool

	mu      sync.Mutex
	largest uint64
	journal []Run
}

// ServeHTTP serves the two routes.
func (d *Device) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "POST /write":
		d.serveWrite(w, r)
	case "GET /journal":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(d.Journal())
	default:
		http.NotFound(w, r)
	}
}

func (d *Device) serveWrite(w http.ResponseWriter, r *http.Request) {
	token, err := strconv.ParseUint(r.Header.Get(TokenHeader), 10, 64)
	if err != nil || token == 0 {
		http.Error(w, TokenHeader+": must be a number above 0", http.StatusBadRequest)
		return
	}
	if !d.Write(token, r.Header.Get(FromHeader)) {
		http.Error(w, TokenHeader+": a larger one was here before", http.StatusConflict)
	}
}

// Write records a write and tells whether it was accepted. The comparison and
// the write are one step: a resource that compares first and writes later lets a
// newer owner in between.
func (d *Device) Write(token uint64, from string) (accepted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	accepted = d.Trusting || token >= d.largest
	d.largest = max(d.largest, token)
	if n := len(d.journal); n > 0 {
		if last := &d.journal[n-1]; last.Token == token && last.From == from && last.Accepted == accepted {
			last.Writes++
			return accepted
		}
	}
	d.journal = append(d.journal, Run{Token: token, From: from, Accepted: accepted, Writes: 1})
	return accepted
}

// Journal returns all writes so far.
func (d *Device) Journal() []Run {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Run{}, d.journal...)
}
