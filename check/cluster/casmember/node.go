package casmember

import (
	"crypto/rand"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// Node is one member of a cluster, and the cluster.Source of its process: what
// cluster.Gate, the checks and the service level ask. It is also the
// cluster.Tracker that waits for running work when it leaves. All methods may be
// called by any goroutine; a Node that New did not make is a Source that never
// starts.
type Node struct {
	kv     KV
	config Config
	clock  cluster.Clock
	log    log
	work   work
	nonce  string // what the incarnations of this process begin with

	view atomic.Pointer[cluster.View]

	mu      sync.Mutex
	changed chan struct{}
	roster  roster
	life    life // written by the heart only, but for what the watch has shown of it
	lives   int
	// awake is when this node was last told that it is a member after it had
	// been fenced: silence from before may have been its own (F5).
	awake cluster.Instant
	// unseenRevision is of the oldest acknowledged write that the watch has not
	// shown yet, which was at unseen; 0 without one.
	unseenRevision uint64
	unseen         cluster.Instant
	// patience is for how long a watch may show none of them before another one
	// is begun.
	patience time.Duration
	// rewatch ends the watch that is running, hurry a heartbeat under way.
	rewatch, hurry func()
	// demoted is set for good when the node begins to leave, ended when it may
	// not act any more at all.
	demoted, ended bool
	stage          stage
	farewell       *farewell

	leaving chan struct{} // closed when farewell is set
	kick    chan struct{} // wakes the heart
	stir    chan struct{} // wakes the keeper
}

// stage is how far Run is.
type stage uint8

const (
	idle stage = iota
	running
	over
)

// New returns a Node that is not running yet: it starts nothing and asks the
// engine for nothing. The error names the part of the configuration that is
// wrong.
func New(kv KV, c Config, opts ...Option) (*Node, error) {
	if v := reflect.ValueOf(kv); kv == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("casmember: kv nil: must be an engine")
	}
	c, err := c.settle()
	if err != nil {
		return nil, err
	}
	n := &Node{
		kv: kv, config: c, clock: cluster.BootClock{},
		work:    work{drained: make(chan struct{}, 1)},
		changed: make(chan struct{}),
		roster:  newRoster(),
		nonce:   rand.Text(),
		leaving: make(chan struct{}),
		kick:    make(chan struct{}, 1),
		stir:    make(chan struct{}, 1),
	}
	for _, o := range opts {
		if o != nil {
			o.apply(n)
		}
	}
	n.begin()
	n.publish(n.clock.Now())
	return n, nil
}

// begin starts a new life. The caller holds the mutex, except in New.
func (n *Node) begin() {
	n.lives++
	n.life = newLife(n.config, n.nonce, n.lives)
	n.unseenRevision, n.patience = 0, n.config.TTL
	for _, x := range n.roster.entries {
		x.told = false // a twin that was younger than the last life is older than this one
	}
}

// Now reads the clock of the node, which its views are on.
func (n *Node) Now() cluster.Instant {
	if n == nil || n.clock == nil {
		return 0
	}
	return n.clock.Now()
}

// View returns the newest view; see cluster.Source. It is Starting until the
// engine has told the members once, and Available ever after. Cost: one load.
func (n *Node) View() *cluster.View {
	if n == nil {
		return nil
	}
	return n.view.Load()
}

// Changed returns a channel that is closed when View has something new, which
// includes each prolongation of its fence.
func (n *Node) Changed() <-chan struct{} {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// Track counts one piece of work, which Leave waits for until done is called, or
// its claim has run out. Cost: an atomic addition, and the allocation of done.
func (n *Node) Track() (done func()) {
	if n == nil {
		return func() {}
	}
	return n.work.begin()
}

// nudge wakes the loop that waits on the channel, or makes it look again.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
