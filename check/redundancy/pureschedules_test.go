package redundancy

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestPureSchedules plays a hundred thousand lives of clusters of two to four nodes.
// Each node has the view that has reached it; snapshots and probe results are lost,
// repeated, late and out of order. At every moment:
//
//   - of the nodes that share one view at most one is the primary, and no other serves;
//   - a node that does not know its role and has peers does not serve;
//   - what the gate of the cluster would stop is never served;
//   - the highest level is for the active node alone;
//   - no life of a node shows a level twice in a row, and none shows 255.
func TestPureSchedules(t *testing.T) {
	schedules, steps := 100_000, 25
	if raceEnabled {
		schedules /= 20
	}
	var seen sightings
	for seed := range uint64(schedules) {
		p := newPlay(rand.New(rand.NewPCG(seed, 426)))
		for range steps {
			p.step()
			if fault := p.check(&seen); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
	}
	t.Logf("%d schedules: %+v", schedules, seen)
	// Else the schedules would show nothing.
	for name, n := range map[string]int{
		"primaries": seen.primaries, "secondaries": seen.secondaries, "detached": seen.detached,
		"unknown and served alone": seen.servedAlone, "unknown and denied": seen.deniedUnknown,
		"told primary, and not active": seen.overruled, "highest levels": seen.highest,
		"endpoints that failed": seen.blocked, "levels shown": seen.shown,
		"strangers placed later": seen.placedLater, "outdated": seen.outdated, "two lives": seen.restarts,
	} {
		if n < schedules/40 {
			t.Errorf("%s: seen %d times in %d schedules", name, n, schedules)
		}
	}
}

// sightings are how often what matters came about.
type sightings struct {
	primaries, secondaries, detached, servedAlone, deniedUnknown int
	overruled, highest, blocked, shown                           int
	placedLater, outdated, restarts                              int
}

// play is the engine's truth, the nodes, and all that was ever sent.
type play struct {
	rand     *rand.Rand
	now      cluster.Instant
	members  []cluster.Member
	revision uint64
	age      uint64
	lives    int
	nodes    []*warmNode
	sent     []*snapshot
	found    []probeResult

	placedLater, outdated, restarts int
}

// warmNode is one process.
type warmNode struct {
	roles    []string
	self     cluster.Key
	view     *cluster.View
	box      inbox
	heard    witnesses
	levels   levels
	last     int // level shown; -1 before the first
	sequence uint64
}

func newPlay(r *rand.Rand) *play {
	p := &play{rand: r, now: viewNow}
	for i := range 2 + r.IntN(3) {
		n := &warmNode{roles: []string{driver}, self: cluster.Key{Address: []string{nodeA, nodeB, nodeC, nodeD}[i]}}
		if r.IntN(5) == 0 {
			n.roles = []string{"admin"}
		}
		p.nodes = append(p.nodes, n)
		p.join(n)
	}
	return p
}

// step lets one thing happen.
func (p *play) step() {
	n := p.nodes[p.rand.IntN(len(p.nodes))]
	switch p.rand.IntN(18) {
	case 0, 1:
		p.change()
	case 2, 3, 4, 5: // a heartbeat goes through
		p.show(n)
	case 6:
		p.now += cluster.Instant(p.rand.IntN(3)) // past a fence, perhaps
	case 7, 8:
		p.build(n)
	case 9:
		p.probe(n)
	case 10, 11:
		if len(p.found) > 0 {
			p.testify(p.found[len(p.found)-1-p.rand.IntN(min(len(p.found), 6))])
		}
	default:
		if len(p.sent) > 0 {
			p.deliver(n, p.sent[len(p.sent)-1-p.rand.IntN(min(len(p.sent), 6))])
		}
	}
}

// join starts a process anew: it remembers nothing of an earlier life.
func (p *play) join(n *warmNode) {
	p.lives++
	p.revision++
	if n.self.Incarnation != "" {
		p.restarts++
	}
	*n = warmNode{roles: n.roles, self: cluster.Key{Address: n.self.Address, Incarnation: strconv.Itoa(p.lives)}, last: -1}
	n.levels.policy = DefaultLevels()
	n.levels.show = func(uint8) {}
	p.members = slices.DeleteFunc(p.members, func(m cluster.Member) bool { return m.Address == n.self.Address })
	p.members = append(p.members, cluster.Member{Key: n.self, Status: cluster.Joining, Roles: n.roles, Reachable: true})
}

// change moves one member on.
func (p *play) change() {
	m := &p.members[p.rand.IntN(len(p.members))]
	p.revision++
	switch {
	case m.Status == cluster.Joining:
		p.age = p.revision
		m.Status, m.Age = cluster.Up, p.age
	case m.Status == cluster.Up && p.rand.IntN(3) == 0:
		m.Status = cluster.Leaving + cluster.Status(p.rand.IntN(3))
	case m.Status == cluster.Up && p.rand.IntN(6) == 0: // deleted by an operator
		m.Status, m.HoldUntil = cluster.Removed, p.now+2
	case m.Status > cluster.Up:
		i := slices.IndexFunc(p.nodes, func(n *warmNode) bool { return n.self.Address == m.Address })
		p.join(p.nodes[i])
	}
}

// show brings the truth to a node, and gives it the time until its next heartbeat.
func (p *play) show(n *warmNode) {
	n.view = &cluster.View{
		State: cluster.Available, Self: n.self, Members: slices.Clone(p.members), Revision: p.revision,
		ConfirmedAt: p.now, ValidUntil: p.now + 3,
	}
	if n.box.retry(n.view) {
		p.placedLater++
	}
}

// build sends a snapshot if the node is whom the cluster has build them.
func (p *play) build(n *warmNode) {
	d := cluster.Decide(n.view, p.now)
	if !d.Active {
		return
	}
	n.sequence++
	s := &snapshot{
		Token: d.Token, Sequence: n.sequence, Revision: n.view.Revision,
		Builder: n.self.Address, Nodes: rolesIn(n.view, p.now, driver),
	}
	p.sent = append(p.sent, s)
	p.deliver(n, s)
}

func (p *play) deliver(n *warmNode, s *snapshot) {
	if n.box.take(s, n.view, p.now) == outdated {
		p.outdated++
	}
}

// probe has one node try the endpoint of another.
func (p *play) probe(prober *warmNode) {
	probed := p.nodes[p.rand.IntN(len(p.nodes))]
	prober.sequence++
	p.found = append(p.found, probeResult{
		prober: prober.self, probed: probed.self, sequence: prober.sequence, ok: p.rand.IntN(2) == 0,
	})
}

// testify brings a result to all, as a bus does. Whom it concerns keeps it.
func (p *play) testify(r probeResult) {
	for _, n := range p.nodes {
		if r.concerns(n.view, driver) {
			n.heard.keep(r, p.now)
		}
	}
}

// check returns what is wrong, or nothing.
func (p *play) check(seen *sightings) string {
	seen.placedLater, seen.outdated, seen.restarts = seen.placedLater+p.placedLater, seen.outdated+p.outdated, seen.restarts+p.restarts
	p.placedLater, p.outdated, p.restarts = 0, 0, 0
	type who struct{ primary, serving string }
	sharing := make(map[uint64]who, len(p.nodes)) // by revision
	for _, n := range p.nodes {
		newest, _, known := n.box.newest()
		s := standingIn(n.view, p.now, driver, newest)
		served := s.denial() == NotDenied
		if served && !s.own.Active {
			return n.self.Address + " serves, where the cluster says " + s.own.Reason.String()
		}
		if fault := p.checkLevel(n, s, known, seen); fault != "" {
			return fault
		}
		seen.count(s, served)
		if s.effective() == RoleUnknown && served && s.upInRole() > 1 {
			return n.self.Address + " serves, with peers and an unknown role"
		}
		if n.view == nil {
			continue
		}
		of := sharing[n.view.Revision]
		if s.effective() == Primary {
			if of.primary != "" {
				return of.primary + " and " + n.self.Address + " are primary in one view"
			}
			of.primary = n.self.Address
		}
		if served {
			if of.serving != "" {
				return of.serving + " and " + n.self.Address + " serve in one view"
			}
			of.serving = n.self.Address
		}
		sharing[n.view.Revision] = of
	}
	return ""
}

// checkLevel computes the level of a node whose database is well, and shows it.
func (p *play) checkLevel(n *warmNode, s standing, known bool, seen *sightings) string {
	self, _ := n.view.Member(n.self)
	in := Inputs{
		Status: self.Status, HasRole: self.HasRole(driver), Role: s.told, Active: s.own.Active,
		Database: Reachable, Snapshot: known, SnapshotAge: time.Duration(p.rand.IntN(3)) * justStale / 2,
		Endpoint: n.heard.reach(p.now),
	}
	level, changed := n.levels.reach(n.levels.policy.tier(in))
	if changed {
		if int(level) == n.last || level == 255 {
			return n.self.Address + " shows " + strconv.Itoa(int(level)) + " after " + strconv.Itoa(n.last)
		}
		seen.shown++
	}
	if !changed && int(level) != n.last {
		return n.self.Address + " does not show " + strconv.Itoa(int(level)) + " after " + strconv.Itoa(n.last)
	}
	n.last = int(level)
	if level == 100 {
		seen.blocked++
	}
	if level != 250 {
		return ""
	}
	seen.highest++
	if holder, _ := cluster.Holder(n.view, p.now, driver); holder != n.self || s.denial() != NotDenied {
		return n.self.Address + " shows 250, and is not the active node or does not serve"
	}
	return ""
}

// count notes what a node was at one moment.
func (seen *sightings) count(s standing, served bool) {
	if s.told == Primary && !s.own.Active {
		seen.overruled++
	}
	switch role := s.effective(); {
	case role == Primary:
		seen.primaries++
	case role == Secondary:
		seen.secondaries++
	case role == Detached:
		seen.detached++
	case served:
		seen.servedAlone++
	default:
		seen.deniedUnknown++
	}
}
