package clustertest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// member is a running Node and the wire that it hangs on.
type member struct {
	*casmember.Node
	wire   *wire
	log    *buffer
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // of Run, when it has ended
}

// kill ends the node without a farewell. Nothing that it sends gets through.
func (m *member) kill() {
	m.wire.hangUp()
	m.cancel()
}

// ran waits for the end of Run.
func (m *member) ran() error {
	<-m.ended
	return m.err
}

func (m *member) address() string { return m.View().Self.Address }

// age is the node's own, once it is Up.
func (m *member) age() uint64 {
	self, _ := m.View().Member(m.View().Self)
	return self.Age
}

// claims asks all nodes, one after the other and all the time, whether they are
// active. Whoever says so after a node with a larger token has said so claims
// what was handed over: two were active at once. How long a round takes does not
// matter for that, so a slow machine makes no false alarm.
type claims struct {
	bench *bench

	mu      sync.Mutex
	members []*member
	token   uint64
	holder  cluster.Key
	overlap string
}

// watchClaims asks until the end of the test, which it fails for an overlap.
func watchClaims(b *bench) *claims {
	c := &claims{bench: b}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			c.round()
			time.Sleep(time.Millisecond)
		}
	}()
	b.Cleanup(func() {
		cancel()
		<-ended
		if c.overlap != "" {
			b.Error(c.overlap)
		}
	})
	return c
}

func (c *claims) round() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		d := cluster.Ask(m)
		switch {
		case !d.Active:
		case d.Token < c.token && c.overlap == "":
			c.overlap = fmt.Sprintf("%v is active with the token %d after %v was with %d", d.Self, d.Token, c.holder, c.token)
		case d.Token > c.token:
			c.token, c.holder = d.Token, d.Self
		}
	}
}

func (c *claims) add(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members = append(c.members, m)
}

// waitActive waits until one of the nodes is active.
func (c *claims) waitActive(nodes ...*member) {
	c.bench.Helper()
	c.bench.until(fmt.Sprintf("%s is active", nodes[0].address()), func() bool {
		return slices.ContainsFunc(nodes, func(m *member) bool { return cluster.Ask(m).Active })
	})
}

// waitUp waits until the node is a member that could take over.
func (c *claims) waitUp(m *member) {
	c.bench.Helper()
	c.bench.until(fmt.Sprintf("%s is a standby", m.address()), func() bool {
		return cluster.Ask(m).Reason == cluster.ReasonStandby
	})
}

// wantYoungest wants that the node is younger than all that the observer sees.
func (c *claims) wantYoungest(m, observer *member) {
	c.bench.Helper()
	for _, other := range observer.View().Members {
		if other.Status == cluster.Up && other.Key != m.View().Self && other.Age >= m.age() {
			c.bench.Errorf("%v has the age %d, want the restarted %v with %d the youngest", other.Key, other.Age, m.View().Self, m.age())
		}
	}
}

// buffer is a log that a test reads.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

// Write adds a line.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns the lines.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
