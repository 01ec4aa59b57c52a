package redundancy

import (
	"context"
	"slices"
	"sync"
	"time"
)

// mesh is a bus of which each node has an end, so that a test can part them, and do
// worse to what they send.
type mesh struct {
	// fate says what becomes of a message on its way to a node: after how long it
	// arrives, for each time that it does. nil is at once, and once.
	fate func(from, to string, message []byte) []time.Duration

	mu      sync.Mutex
	readers map[*reader]struct{}
	sent    []letter
}

// reader is one subscription.
type reader struct {
	at      string
	receive func([]byte)
	mu      sync.Mutex // one at a time, and none after its end
	over    bool
}

func newMesh() *mesh { return &mesh{readers: map[*reader]struct{}{}} }

// decide sets fate from now on.
func (m *mesh) decide(fate func(from, to string, message []byte) []time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fate = fate
}

func (m *mesh) at(node string) Bus { return meshEnd{m, node} }

type meshEnd struct {
	*mesh
	node string
}

func (e meshEnd) Publish(ctx context.Context, topic string, message []byte) error {
	if err := CheckMessage(topic, message); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, letter{topic, slices.Clone(message)})
	for r := range e.readers {
		if e.fate == nil {
			go r.give(slices.Clone(message))
			continue
		}
		for _, after := range e.fate(e.node, r.at, message) {
			time.AfterFunc(after, func() { r.give(message) })
		}
	}
	return ctx.Err()
}

func (e meshEnd) Subscribe(ctx context.Context, receive func([]byte)) error {
	r := &reader{at: e.node, receive: receive}
	e.mu.Lock()
	e.readers[r] = struct{}{}
	e.mu.Unlock()
	<-ctx.Done()
	e.mu.Lock()
	delete(e.readers, r)
	e.mu.Unlock()
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	return context.Cause(ctx)
}

func (r *reader) give(message []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.receive(message)
	}
}

// inject has all nodes receive a message.
func (m *mesh) inject(message []byte) {
	m.mu.Lock()
	readers := make([]*reader, 0, len(m.readers))
	for r := range m.readers {
		readers = append(readers, r)
	}
	m.mu.Unlock()
	for _, r := range readers {
		r.give(message)
	}
}

// snapshots returns those that were sent so far.
func (m *mesh) snapshots() (all []*snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.sent {
		if got, err := decode(l.message); err == nil && got.snapshot != nil {
			all = append(all, got.snapshot)
		}
	}
	return all
}

// results returns the results of probes that were sent so far.
func (m *mesh) results() (all []probeResult) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.sent {
		if got, err := decode(l.message); err == nil && got.probe != nil {
			all = append(all, *got.probe)
		}
	}
	return all
}
