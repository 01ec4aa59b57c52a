package redundancytest

import (
	"context"
	"errors"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/redundancy"
)

// nodeTests are about two Nodes over the bus. What they wait for takes a few of
// their shortened intervals.
var nodeTests = []test{
	{"BothRolesAreRight", bothRolesAreRight},
	{"LateNodeConverges", lateNodeConverges},
	{"RolesFollowTheCluster", rolesFollowTheCluster},
	{"LostRepeatedAndReordered", lostRepeatedAndReordered},
	{"ProbeResultsTravel", probeResultsTravel},
	{"RestartOfTheEngineHeals", restartOfTheEngineHeals},
}

// started returns a pair that runs and knows its roles.
func started(b *bench) *pair {
	b.Helper()
	p := newPair(b, reachable, b.bus(), b.bus())
	p.a.run()
	p.b.run()
	p.waitRoles(p.a, p.b)
	return p
}

func bothRolesAreRight(b *bench) {
	p := started(b)
	if err := p.a.write.Allow(); err != nil {
		b.Errorf("error %v of the primary, want none", err)
	}
	p.b.wantDenied(redundancy.DeniedSecondary)
}

// S4.3: nothing changes when the second node begins to listen, so it learns its
// role from what is repeated. Until then it denies (S4.26).
func lateNodeConverges(b *bench) {
	p := newPair(b, reachable, b.bus(), b.bus())
	p.a.run()
	b.until("the first is the primary", func() bool { return p.a.is(redundancy.Primary) })
	p.b.wantDenied(redundancy.DeniedRoleUnknown)
	p.b.run()
	p.waitRoles(p.a, p.b)
	p.b.wantDenied(redundancy.DeniedSecondary)
}

// S4.4: whoever is the oldest then says who has which role, and the one that was it
// hears over the bus that it is not any more.
func rolesFollowTheCluster(b *bench) {
	p := started(b)
	p.rejoin(addressA)
	p.waitRoles(p.b, p.a)
	p.rejoin(addressB)
	p.waitRoles(p.a, p.b)
}

// S4.2: of the snapshots that come, the newest version counts, in whatever order
// and however often they come.
func lostRepeatedAndReordered(b *bench) {
	first, second := newUnruly(b.bus()), newUnruly(b.bus())
	p := newPair(b, reachable, first, second)
	p.a.run()
	p.b.run()
	p.waitRoles(p.a, p.b)
	p.rejoin(addressA)
	p.waitRoles(p.b, p.a)
	old, turns := p.a.ignored(redundancy.IgnoredOld), second.turns()
	b.until("older snapshots have come again", func() bool {
		if !p.b.is(redundancy.Primary) || !p.a.is(redundancy.Secondary) {
			b.Fatalf("the roles are %v and %v after older snapshots have come again, want secondary and primary", p.a.Role(), p.b.Role())
		}
		return p.a.ignored(redundancy.IgnoredOld) >= old+5 && second.turns() >= turns+9
	})
}

// S4.12: what a node finds about its peer takes the peer out, over the bus.
func probeResultsTravel(b *bench) {
	prober := func(_ context.Context, peer cluster.Member) error {
		if peer.Address == addressB {
			return errors.New("refused")
		}
		return nil
	}
	p := newPair(b, prober, b.bus(), b.bus())
	p.a.run()
	p.b.run()
	b.until("the level of the peer that cannot be reached is 100", func() bool { return p.b.ServiceLevel() == 100 })
	b.until("the level of the other is 250", func() bool { return p.a.ServiceLevel() == 250 })
}

// The cluster changes while the engine is down, so that the roles have to change
// afterwards.
func restartOfTheEngineHeals(b *bench) {
	b.needsEngine()
	p := started(b)
	b.stop()
	p.rejoin(addressA)
	b.until("the new primary serves", func() bool { return p.b.is(redundancy.Primary) })
	if p.a.write.IsActive() {
		b.Error("the one that was the primary serves still")
	}
	b.restart()
	p.waitRoles(p.b, p.a)
}
