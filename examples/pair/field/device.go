// Package field is the device that a pair shares: its items are written to by one
// node at a time. It knows no cluster. It compares fencing tokens, and remembers
// everything that it was told to do.
package field

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/loopvitals/loopvitals/examples/pair/device"
)

// Op is what the device is told to do.
type Op string

// The operations. A write to an item that its writer has not advised is answered
// as any other, and comes to nothing.
const (
	Advise Op = "advise"
	Write  Op = "write"
	Ack    Op = "ack"
)

// Entry is a number of operations of one kind that came one after the other from
// one node with one token, and had one answer.
type Entry struct {
	Op       Op     `json:"op"`
	Token    uint64 `json:"token"`
	From     string `json:"from"`
	Accepted bool   `json:"accepted"`
	Count    int    `json:"count"`
}

// Reply is the answer to a write. The device says one status for each item that it
// has written; none at all means that it has taken the command, and does not know
// yet what became of it.
type Reply struct {
	Statuses []string `json:"statuses"`
}

// Good is the status of an item that was written.
const Good = "Good"

// Device serves POST /advise, /write and /ack, GET /journal, and POST /trouble. It
// answers 409 to a token that is smaller than one that was there before, and 400
// without one.
type Device struct {
	mu      sync.Mutex
	largest uint64
	journal []Entry
	items   map[string]string
	advised map[string]uint64 // by whom each item was advised last, as a token
	trouble Trouble
}

// Trouble is how many of the next operations fare ill. It is for trials.
type Trouble struct {
	Advises     int `json:"advises"`     // are answered with 502
	Unconfirmed int `json:"unconfirmed"` // writes that have no status
	Bad         int `json:"bad"`         // writes whose status is not Good
}

// New returns a device without items.
func New() *Device { return &Device{items: map[string]string{}, advised: map[string]uint64{}} }

// ServeHTTP serves the routes.
func (d *Device) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "POST /advise", "POST /write", "POST /ack":
		d.serveOp(w, r, Op(r.URL.Path[1:]))
	case "GET /journal":
		answer(w, d.Journal())
	case "POST /trouble":
		var t Trouble
		if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		d.mu.Lock()
		d.trouble = t
		d.mu.Unlock()
	default:
		http.NotFound(w, r)
	}
}

func (d *Device) serveOp(w http.ResponseWriter, r *http.Request, op Op) {
	token, err := strconv.ParseUint(r.Header.Get(device.TokenHeader), 10, 64)
	item := r.FormValue("item")
	if err != nil || token == 0 || item == "" {
		http.Error(w, device.TokenHeader+" must be a number above 0, and item must not be empty", http.StatusBadRequest)
		return
	}
	// The comparison and the operation are one step, or a newer owner could
	// come in between.
	d.mu.Lock()
	defer d.mu.Unlock()
	accepted := token >= d.largest
	d.largest = max(d.largest, token)
	d.note(Entry{Op: op, Token: token, From: r.Header.Get(device.FromHeader), Accepted: accepted, Count: 1})
	switch {
	case !accepted:
		http.Error(w, fmt.Sprintf("%s %d: a larger one was here before", device.TokenHeader, token), http.StatusConflict)
	case op == Write:
		answer(w, d.write(token, item, r.FormValue("value")))
	case op == Advise && spend(&d.trouble.Advises):
		http.Error(w, "cannot advise", http.StatusBadGateway)
	case op == Advise:
		d.advised[item] = token
	}
}

func (d *Device) write(token uint64, item, value string) Reply {
	if spend(&d.trouble.Bad) {
		return Reply{Statuses: []string{"BadOutOfService"}}
	}
	if d.advised[item] == token {
		d.items[item] = value
	}
	if spend(&d.trouble.Unconfirmed) {
		return Reply{Statuses: []string{}}
	}
	return Reply{Statuses: []string{Good}}
}

func spend(n *int) bool {
	if *n <= 0 {
		return false
	}
	*n--
	return true
}

func (d *Device) note(e Entry) {
	if n := len(d.journal); n > 0 {
		last := &d.journal[n-1]
		if again := (Entry{last.Op, last.Token, last.From, last.Accepted, 1}); again == e {
			last.Count++
			return
		}
	}
	d.journal = append(d.journal, e)
}

// Journal returns all operations so far.
func (d *Device) Journal() []Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Entry{}, d.journal...)
}

// Item returns what was last written to an item.
func (d *Device) Item(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.items[name]
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
