package clustertest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// nodeTests are about Nodes over the driver. Each wants that the claims of the
// nodes never overlap, and that somebody is the active one in the end.
var nodeTests = map[string]func(*bench){
	"RestartedNodeIsTheYoungest":     restartedNodeIsTheYoungest,
	"CutOffNodeIsReplaced":           cutOffNodeIsReplaced,
	"LeaverHandsOver":                leaverHandsOver,
	"DeletedRecordOfACutOffNode":     deletedRecordOfACutOffNode,
	"NobodyIsActiveWithoutTheEngine": nobodyIsActiveWithoutTheEngine,
	"EngineThatComesLater":           engineThatComesLater,
}

// The addresses of the nodes, of which the lowest starts first: if addresses
// counted, it would be active again after a restart.
const (
	addressA = "10.0.0.1:4053"
	addressB = "10.0.0.2:4053"
	addressC = "10.0.0.3:4053"
)

// three starts three nodes, and returns them by age.
func three(b *bench) (c *claims, first, second, third *member) {
	b.Helper()
	c = watchClaims(b)
	var nodes []*member
	for _, address := range []string{addressA, addressB, addressC} {
		m := c.start(address)
		b.until(address+" knows the members", func() bool { return m.View().State == cluster.Available })
		nodes = append(nodes, m)
	}
	b.until("all nodes are up", func() bool {
		return !slices.ContainsFunc(nodes, func(m *member) bool {
			reason := cluster.Ask(m).Reason
			return reason != cluster.ReasonActive && reason != cluster.ReasonStandby
		})
	})
	slices.SortFunc(nodes, func(one, other *member) int { return cmp.Compare(one.age(), other.age()) })
	return c, nodes[0], nodes[1], nodes[2]
}

// S1.29: a node that restarts at its old address does not take the work back.
func restartedNodeIsTheYoungest(b *bench) {
	c, first, second, third := three(b)
	first.kill()
	again := c.start(first.address())
	c.waitActive(second)
	c.waitUp(again)
	c.wantYoungest(again, third)
}

func cutOffNodeIsReplaced(b *bench) {
	c, first, second, third := three(b)
	first.wire.cut()
	c.waitActive(second)
	first.wire.heal()
	c.waitUp(first)
	c.wantYoungest(first, third)
}

func leaverHandsOver(b *bench) {
	c, first, second, third := three(b)
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	if err := first.Leave(ctx); err != nil {
		b.Errorf("leave: %v", err)
	}
	if err := first.ran(); err != nil {
		b.Errorf("run after leave: %v", err)
	}
	c.waitActive(second)
	b.until("the others know that the node is gone", func() bool {
		for _, m := range third.View().Members {
			if m.Address == first.address() {
				return false
			}
		}
		return true
	})
}

// The node cannot know that its record is gone, and goes on until its fence; the
// others know, and must wait for it (F6).
func deletedRecordOfACutOffNode(b *bench) {
	c, first, second, third := three(b)
	records := follow(b, b.kv())
	key := ""
	b.until("the record of the node is known", func() bool {
		for k := range records.values() {
			if strings.HasSuffix(k, first.View().Self.Incarnation) {
				key = k
			}
		}
		return key != ""
	})
	first.wire.cut()
	b.engine.Delete(b.T, key)
	c.waitActive(second)
	first.wire.heal()
	c.waitUp(first)
	c.wantYoungest(first, third)
}

func nobodyIsActiveWithoutTheEngine(b *bench) {
	c, first, second, third := three(b)
	b.stop()
	b.until("all nodes are fenced", func() bool {
		for _, m := range []*member{first, second, third} {
			if cluster.Ask(m).Reason != cluster.ReasonExpired {
				return false
			}
		}
		return true
	})
	b.restart()
	c.waitActive(first, second, third)
}

// R27: no engine at the start is a state, not a crash, and the log says why.
func engineThatComesLater(b *bench) {
	b.stop()
	c := watchClaims(b)
	m := c.start(addressA)
	b.until("the log says why", func() bool { return strings.Contains(m.log.String(), "failed") })
	if v := m.View(); v.State != cluster.Starting {
		b.Errorf("state %v without an engine, want Starting", v.State)
	}
	b.restart()
	c.waitActive(m)
}

// ttl of the nodes, the shortest there is.
const ttl = 2 * time.Second

func (c *claims) start(address string) *member {
	b := c.bench
	b.Helper()
	kv, wire := b.connect()
	m := &member{wire: wire, log: &buffer{}, ended: make(chan struct{})}
	node, err := casmember.New(kv, casmember.Config{Address: address, TTL: ttl}, casmember.WithLogger(m.log.logger()))
	if err != nil {
		b.Fatal(err)
	}
	m.Node = node
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go func() {
		defer close(m.ended)
		m.err = node.Run(ctx)
	}()
	c.add(m)
	b.Cleanup(func() {
		m.kill()
		_ = m.ran()
		if b.Failed() {
			b.Logf("log of %s:\n%s", address, m.log)
		}
	})
	return m
}
