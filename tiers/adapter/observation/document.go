package observation

// Version is the form of the documents of this package. A reader refuses every
// other.
const Version = "loopvitals.observation/1"

// Document is one observation of a node by itself.
type Document struct {
	Version    string     `json:"version"`
	Identity   Identity   `json:"identity"`
	Result     Result     `json:"result"`
	Sampled    Sampled    `json:"sampled"`
	Pressure   Pressure   `json:"pressure"`
	Inventory  Inventory  `json:"inventory"`
	Capacity   Capacity   `json:"capacity"`
	Activation Activation `json:"activation"`
	Native     Native     `json:"native"`
}

// Identity tells which node this is, and which life of it.
type Identity struct {
	// Node is the configured name: valid UTF-8 of 1 to 200 bytes without control
	// or format characters, compared byte by byte (S2.3).
	Node string `json:"node"`
	// Instance is new with every start of the node, under the same rules. An
	// adapter's startup latch holds for one instance (S2.6).
	Instance string `json:"instance"`
}

// Result tells whether the node could observe itself.
type Result string

// The known results. Any other is refused (S2.3).
const (
	Succeeded Result = "succeeded" // Everything in the document is known.
	Failed    Result = "failed"    // Some of it is not, and says false or none.
)

// Sampled tells when the node looked.
type Sampled struct {
	// At is the node's calendar time in RFC 3339 with UTC, for people only: no
	// verdict depends on it (X27).
	At string `json:"at"`
	// AgeMs is how old the oldest fact in the document was, by the node's own
	// monotonic clock, when the document was written, in whole milliseconds. A
	// reader adds it to the age it counts itself (S2.11).
	AgeMs int64 `json:"ageMs"`
}

// Pressure tells whether the node could read how loaded its ingress is. Without
// that the numbers of Capacity mean nothing (S2.3).
type Pressure struct {
	Available bool `json:"available"`
}

// Inventory lists who listens for HTTP, and for whom.
type Inventory struct {
	// Complete is true when Listeners are all that there should be.
	Complete  bool       `json:"complete"`
	Listeners []Listener `json:"listeners"` // at most MaxListeners, no name twice
}

// Listener is one listening socket of the node.
type Listener struct {
	Name    string `json:"name"`    // as the node calls it, "public"
	Address string `json:"address"` // "127.0.0.1:8080"
	Owner   string `json:"owner"`   // which part of the node accepts from it
	Live    bool   `json:"live"`    // listening, and its owner is running
}

// MaxListeners bounds an inventory.
const MaxListeners = 64

// Capacity is what is in use of what there is (S2.4).
type Capacity struct {
	Connections Use `json:"connections"`
	Exchanges   Use `json:"exchanges"` // requests in progress
	Buffers     Use `json:"buffers"`   // bytes, or items: one unit on both sides
}

// Use is a number of things in use, of at most Limit. Both are from 0 to 2^53-1,
// so that every JSON reader has them exactly. InUse may be above Limit, and a
// Limit of 0 is nothing to spare.
type Use struct {
	InUse int64 `json:"inUse"`
	Limit int64 `json:"limit"`
}

// Spare tells whether one more would fit.
func (u Use) Spare() bool { return u.InUse < u.Limit }

// Spare tells whether one more would fit of each.
func (c Capacity) Spare() bool {
	return c.Connections.Spare() && c.Exchanges.Spare() && c.Buffers.Spare()
}

// Live tells whether the inventory is complete, not empty, and every listener
// live.
func (i Inventory) Live() bool {
	for _, l := range i.Listeners {
		if !l.Live {
			return false
		}
	}
	return i.Complete && len(i.Listeners) > 0
}

// Activation tells whether the node itself would take new work (S2.4).
type Activation struct {
	Ready bool `json:"ready"`
}

// Native is the node's own word on itself (S2.5).
type Native struct {
	Healthy bool `json:"healthy"` // not wedged, not corrupted: no restart needed
	Owner   bool `json:"owner"`   // holds what it works on: its data, its lease, its lock
}
