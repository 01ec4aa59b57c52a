package redundancy

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// supervisor keeps exactly one probing for each other member with the role: begun
// when it joins, ended when it departs, and a new one for each new life (S4.24).
type supervisor struct {
	role     string
	try      Prober
	interval time.Duration
	timeout  time.Duration
	crew     *crew
	// found is told what came of each probe, by several goroutines.
	found func(ctx context.Context, peer cluster.Member, o ProbeOutcome)
	// broke is told of each call of the prober that broke.
	broke func(error)

	// probings is only used by the goroutine that calls see.
	probings map[cluster.Key]*probing
	// hung are callers whose call a peer's departure did not end, by address. The
	// next life there waits for them, so that a prober that never returns costs
	// one goroutine for each address and not for each life.
	hung map[string]*caller

	mu     sync.Mutex
	counts map[string]*[probeOutcomeCount]uint64 // by address, of those that are probed
}

// see begins and ends what a view asks for. A node that is not among those with the
// role has nothing to say that anybody would take, and probes nobody.
func (s *supervisor) see(ctx context.Context, v *cluster.View) {
	want := s.peers(v)
	for key, p := range s.probings {
		if _, stays := want[key]; !stays {
			p.stop()
			if p.call.busy() {
				s.hung[key.Address] = p.call
			}
			delete(s.probings, key)
		}
	}
	s.recount(want)
	for key, peer := range want {
		if s.probings[key] == nil {
			s.probings[key] = s.begin(ctx, peer)
		}
	}
}

// peers returns those whom a view says to probe.
func (s *supervisor) peers(v *cluster.View) map[cluster.Key]cluster.Member {
	if v == nil || v.State != cluster.Available {
		return nil
	}
	if self, _ := v.Member(v.Self); !present(self, s.role) {
		return nil
	}
	peers := map[cluster.Key]cluster.Member{}
	for _, m := range v.Members {
		if m.Address != v.Self.Address && present(m, s.role) {
			peers[m.Key] = m
		}
	}
	return peers
}

// present tells whether a member has the role and is there.
func present(m cluster.Member, role string) bool {
	return m.Status >= cluster.Joining && m.Status <= cluster.Leaving && m.HasRole(role)
}

// begin probes a peer at once and then at every interval, until it is stopped. What
// it has found outlasts it: others' results may be on their way with it.
func (s *supervisor) begin(run context.Context, peer cluster.Member) *probing {
	p := &probing{peer: peer, call: s.caller(peer.Address)}
	life, stop := context.WithCancel(run)
	p.stop = stop
	s.crew.run(func() {
		every(life, s.interval, func() {
			outcome, err, ok := p.probe(life, s.try)
			switch {
			case ok:
				s.count(peer.Address, outcome)
				s.found(run, peer, outcome)
			case err != nil:
				s.broke(err)
			}
		})
	})
	return p
}

// caller returns the one that a former life at the address left hanging, or a new
// one.
func (s *supervisor) caller(address string) *caller {
	left := s.hung[address]
	delete(s.hung, address)
	if left != nil && left.busy() {
		return left
	}
	return newCaller(s.timeout)
}

// count counts an outcome of a peer that is still being probed.
func (s *supervisor) count(address string, o ProbeOutcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.counts[address]; c != nil {
		c[o]++
	}
}

// recount has the counts follow those who are probed, and forgets calls that have
// ended.
func (s *supervisor) recount(probed map[cluster.Key]cluster.Member) {
	maps.DeleteFunc(s.hung, func(_ string, c *caller) bool { return !c.busy() })
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make(map[string]*[probeOutcomeCount]uint64, len(probed))
	for key := range probed {
		count := cmp.Or(counts[key.Address], s.counts[key.Address])
		if count == nil {
			count = new([probeOutcomeCount]uint64)
		}
		counts[key.Address] = count
	}
	s.counts = counts
}

// list returns the counts as State shows them.
func (s *supervisor) list() []ProbeCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]ProbeCount, 0, len(s.counts)*probeOutcomeCount)
	for _, address := range slices.Sorted(maps.Keys(s.counts)) {
		for o, n := range s.counts[address] {
			list = append(list, ProbeCount{Peer: address, Outcome: ProbeOutcome(o), Count: n})
		}
	}
	return list
}
