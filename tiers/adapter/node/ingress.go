package node

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// The limits that a zero Limits stands for.
const (
	DefaultConnections = 1024
	DefaultExchanges   = 256
)

// Limits say how much may come in at the same time. Zero fields take the
// defaults; negative ones are refused.
type Limits struct {
	// Connections is how many may be open, over all listeners.
	Connections int
	// Exchanges is how many requests may be in progress.
	Exchanges int
	// Buffers is how many bytes may be held with Hold. Zero: the application does
	// not say what it holds, and its connections stand for its buffers, of which
	// net/http has one each.
	Buffers int64
}

// Ingress limits and counts what comes in, and is the Gauge of a Source. Its
// methods may be called by any goroutine. A nil Ingress lets nothing in.
//
//	in, err := node.NewIngress(node.Limits{Exchanges: 100}, "public")
//	public, err := in.Listener("public", "api", listener)
//	go http.Serve(public, in.Handler(mux))
type Ingress struct {
	names       []string
	connections slots
	exchanges   slots
	buffers     atomic.Int64
	maxBuffers  int64

	mu    sync.Mutex
	doors map[string]*door
}

// NewIngress makes an Ingress that is complete when each of the named listeners is
// there (S2.3).
func NewIngress(l Limits, names ...string) (*Ingress, error) {
	for _, field := range []struct {
		name  string
		value int64
	}{{"connections", int64(l.Connections)}, {"exchanges", int64(l.Exchanges)}, {"buffers", l.Buffers}} {
		if field.value < 0 {
			return nil, fmt.Errorf("node: limits: %s %d: must not be negative", field.name, field.value)
		}
	}
	if len(names) == 0 || len(names) > observation.MaxListeners {
		return nil, fmt.Errorf("node: ingress of %d names: must be 1 to %d", len(names), observation.MaxListeners)
	}
	for i, name := range names {
		if !observation.ValidName(name) {
			return nil, fmt.Errorf("node: ingress: name %q: must be 1 to %d bytes of UTF-8 without control and format characters",
				name, observation.MaxNameBytes)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("node: ingress: name %q: must not be given twice", name)
		}
	}
	return &Ingress{
		names:       slices.Clone(names),
		connections: make(slots, orDefault(l.Connections, DefaultConnections)),
		exchanges:   make(slots, orDefault(l.Exchanges, DefaultExchanges)),
		maxBuffers:  l.Buffers,
		doors:       map[string]*door{},
	}, nil
}

func orDefault(value, standard int) int {
	if value == 0 {
		return standard
	}
	return value
}

// Listener returns l with the limit on connections: beyond it they wait, in the
// kernel's queue all but one. The name is one of those given to NewIngress, and
// the owner says which part of the application accepts. A listener that was
// closed may be replaced under its name.
func (in *Ingress) Listener(name, owner string, l net.Listener) (net.Listener, error) {
	if in == nil || l == nil {
		return nil, fmt.Errorf("node: ingress: listener %q: must not be nil", name)
	}
	if !observation.ValidName(owner) {
		return nil, fmt.Errorf("node: ingress: listener %q: owner %q: must be a name", name, owner)
	}
	if !slices.Contains(in.names, name) {
		return nil, fmt.Errorf("node: ingress: listener %q: must be one of %q", name, in.names)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if before := in.doors[name]; before != nil && !before.closed.Load() {
		return nil, fmt.Errorf("node: ingress: listener %q: must not be opened twice", name)
	}
	d := newDoor(name, owner, l, in.connections)
	in.doors[name] = d
	return d, nil
}

// Handler lets a request pass to next while there is room for one more exchange.
// Beyond that the answer is 503 with Retry-After, at once.
func (in *Ingress) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if in == nil || next == nil {
			refuse(w)
			return
		}
		select {
		case in.exchanges <- struct{}{}:
			defer func() { <-in.exchanges }() // also when next panics
			next.ServeHTTP(w, r)
		default:
			refuse(w)
		}
	})
}

func refuse(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// Hold takes n bytes of the limit on buffers for something that the application
// keeps in memory, and returns a function that gives them back; further calls of
// it do nothing. It is false, and nothing is taken, when there is not enough left.
// Without a limit nothing is counted. A negative n is false.
func (in *Ingress) Hold(n int64) (release func(), ok bool) {
	if in == nil || in.connections == nil || n < 0 {
		return func() {}, false
	}
	if in.maxBuffers == 0 {
		return func() {}, true
	}
	for {
		held := in.buffers.Load()
		if n > in.maxBuffers-held {
			return func() {}, false
		}
		if in.buffers.CompareAndSwap(held, held+n) {
			return sync.OnceFunc(func() { in.buffers.Add(-n) }), true
		}
	}
}

// Listeners implements Gauge.
func (in *Ingress) Listeners() (list []observation.Listener, complete bool) {
	if in == nil {
		return nil, false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, name := range in.names {
		if d := in.doors[name]; d != nil {
			list = append(list, d.describe())
		}
	}
	return list, len(list) > 0 && len(list) == len(in.names)
}

// Capacity implements Gauge.
func (in *Ingress) Capacity() (c observation.Capacity, available bool) {
	if in == nil || in.connections == nil {
		return c, false
	}
	c.Connections = in.connections.use()
	c.Exchanges = in.exchanges.use()
	c.Buffers = c.Connections
	if in.maxBuffers > 0 {
		c.Buffers = observation.Use{InUse: in.buffers.Load(), Limit: in.maxBuffers}
	}
	return c, true
}

func (s slots) use() observation.Use {
	return observation.Use{InUse: int64(len(s)), Limit: int64(cap(s))}
}
