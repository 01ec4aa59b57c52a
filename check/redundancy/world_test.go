package redundancy

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// tenureOf is for how long a heartbeat of the world confirms a node, and beatEvery
// how often there is one while a test sleeps.
const (
	tenureOf  = 15 * time.Second
	beatEvery = 5 * time.Second
)

// world is a cluster that a test drives, in a bubble of synctest: members, real Nodes
// on one bus, and what each of them sees.
type world struct {
	t    testing.TB
	mesh *mesh

	members  []cluster.Member
	revision uint64
	lives    int
	blind    map[string]bool // do not hear of changes, nor are they confirmed
	actors   map[string]*actor
}

// actor is a node of the world.
type actor struct {
	*Node
	script *clustertest.Script
	screen *screen
	log    *logbook
	key    cluster.Key // of the present life
	stop   context.CancelFunc
	done   chan error
}

func newWorld(t testing.TB) *world {
	return &world{t: t, mesh: newMesh(), blind: map[string]bool{}, actors: map[string]*actor{}}
}

// node makes a Node with the role, which does not run yet and is no member.
func (w *world) node(address string, changes ...func(*Config)) *actor {
	w.t.Helper()
	a := &actor{
		script: clustertest.NewScriptFollowing(clustertest.Clock{}, address),
		screen: &screen{}, log: &logbook{}, done: make(chan error, 1),
	}
	c := Config{
		Source: a.script, Bus: w.mesh.at(address), Role: driver,
		Prober: func(context.Context, cluster.Member) error { return nil },
	}
	for _, change := range changes {
		change(&c)
	}
	n, err := New(c, WithClock(clustertest.Clock{}), WithLogger(slog.New(a.log)))
	if err != nil {
		w.t.Fatal(err)
	}
	n.Bind(a.screen)
	a.Node = n
	w.actors[address] = a
	return a
}

// run runs a node until the end of the test, or until it is stopped.
func (w *world) run(a *actor) {
	ctx, cancel := context.WithCancel(context.Background())
	a.stop = cancel
	go func() { a.done <- a.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-a.done; err != nil {
			w.t.Errorf("run: %v", err)
		}
		a.done <- nil
	})
}

// start makes a Node and runs it; it is no member yet.
func (w *world) start(address string, changes ...func(*Config)) *actor {
	w.t.Helper()
	a := w.node(address, changes...)
	w.run(a)
	return a
}

// join adds a member that is Joining: a new life of the address.
func (w *world) join(address string, roles ...string) {
	w.lives++
	key := cluster.Key{Address: address, Incarnation: strconv.Itoa(w.lives)}
	if i := w.at(address); i >= 0 {
		w.members = slices.Delete(w.members, i, i+1)
	}
	w.members = append(w.members, cluster.Member{Key: key, Status: cluster.Joining, Roles: roles, Reachable: true})
	if a := w.actors[address]; a != nil {
		a.key = key
	}
	w.tell()
}

// set moves a member on. One that becomes Up is the youngest.
func (w *world) set(address string, s cluster.Status) {
	m := &w.members[w.at(address)]
	m.Status = s
	w.revision++
	if s == cluster.Up {
		m.Age = w.revision
	}
	w.tell()
}

// up is join and set.
func (w *world) up(addresses ...string) {
	for _, address := range addresses {
		w.join(address, driver)
		w.set(address, cluster.Up)
	}
}

// remove takes a member away.
func (w *world) remove(address string) {
	i := w.at(address)
	w.members = slices.Delete(w.members, i, i+1)
	w.tell()
}

// at is where the present life of an address is, -1 without one.
func (w *world) at(address string) int {
	return slices.IndexFunc(w.members, func(m cluster.Member) bool {
		return m.Address == address && m.Status != cluster.Removed
	})
}

// tell shows the members to all nodes that are not blind, and confirms those whom it
// shows.
func (w *world) tell() {
	w.revision++
	for _, address := range slices.Sorted(maps.Keys(w.actors)) {
		if !w.blind[address] {
			w.show(w.actors[address])
		}
	}
}

func (w *world) show(a *actor) {
	v := &cluster.View{
		State: cluster.Available, Self: a.key, Members: slices.Clone(w.members), Revision: w.revision,
		ConfirmedAt: a.script.Now(), ValidUntil: a.script.Now().Add(tenureOf),
	}
	if v.Self.Address == "" {
		v.Self.Address = a.address()
	}
	a.script.Set(v)
}

func (a *actor) address() string { return a.script.View().Self.Address }

// sleep lets the time pass, with heartbeats, and then all that it has set going.
func (w *world) sleep(d time.Duration) {
	for ; d > beatEvery; d -= beatEvery {
		time.Sleep(beatEvery)
		w.tell()
	}
	time.Sleep(d)
	synctest.Wait()
}

// logbook is a log handler that keeps warnings.
type logbook struct {
	mu       sync.Mutex
	warnings []string
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logbook) WithGroup(string) slog.Handler            { return l }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Level >= slog.LevelWarn {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
		l.warnings = append(l.warnings, text)
	}
	return nil
}

// count tells how many warnings have the words.
func (l *logbook) count(words string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range l.warnings {
		if strings.Contains(text, words) {
			n++
		}
	}
	return n
}

// ignoredBy returns how often a node has ignored something of a kind.
func ignoredBy(n *Node, kind Ignored) uint64 { return n.State().Ignored[kind].Count }

func (w *world) wantRole(when string, a *actor, want Role) {
	w.t.Helper()
	if got := a.Role(); got != want {
		w.t.Errorf("%s: %s is %v, want %v", when, a.address(), got, want)
	}
}

func (w *world) wantLevel(when string, a *actor, want uint8) {
	w.t.Helper()
	was := a.screen.was()
	if len(was) == 0 || was[len(was)-1] != want || a.ServiceLevel() != want {
		w.t.Errorf("%s: %s shows %v, and is at %d, want %d", when, a.address(), was, a.ServiceLevel(), want)
	}
}
