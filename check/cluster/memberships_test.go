package cluster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// now is the moment of the random views.
const now = cluster.Instant(time.Hour)

// instants are before, at and after now, and unset.
var instants = rapid.SampledFrom([]cluster.Instant{0, now - 1, now, now + 1, now + second})

var roleSets = rapid.SampledFrom([][]string{nil, {"admin"}, {"driver"}, {"admin", "driver"}, {"other"}})

// randomViews has few ages, so that they collide, and members at one address.
var randomViews = rapid.Custom(func(t *rapid.T) *cluster.View {
	v := &cluster.View{
		State:       rapid.SampledFrom([]cluster.State{cluster.Available, cluster.Available, cluster.Available, cluster.Starting, cluster.NotClustered, 7}).Draw(t, "state"),
		Revision:    1,
		ConfirmedAt: instants.Draw(t, "confirmed at"),
		ValidUntil:  instants.Draw(t, "valid until"),
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "members") {
		v.Members = append(v.Members, cluster.Member{
			Key: cluster.Key{
				Address:     rapid.SampledFrom([]string{a, b, c}).Draw(t, "address"),
				Incarnation: fmt.Sprint(i),
			},
			Status:    cluster.Status(rapid.SampledFrom([]int{0, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8}).Draw(t, "status")),
			Roles:     roleSets.Draw(t, "roles"),
			Age:       rapid.Uint64Range(0, 4).Draw(t, "age"),
			Reachable: rapid.Bool().Draw(t, "reachable"),
			Seen:      instants.Draw(t, "seen"),
			HoldUntil: instants.Draw(t, "held until"),
		})
	}
	v.Self = cluster.Key{Address: a, Incarnation: "stranger"}
	if len(v.Members) > 0 && rapid.IntRange(0, 9).Draw(t, "self") > 0 {
		v.Self = rapid.SampledFrom(v.Members).Draw(t, "self member").Key
	}
	return v
})

// of is the view as another member has it.
func of(v *cluster.View, self cluster.Key) *cluster.View {
	other := *v
	other.Self = self
	return &other
}

// TestGateCheckAndDataAgree is S1.49, S1.32 and S1.33: two ways to ask, one answer.
func TestGateCheckAndDataAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, roles := randomViews.Draw(t, "view"), roleSets.Draw(t, "preference")
		src := clustertest.NewScript(v.Self.Address)
		src.Set(v)
		if src.Now() != now {
			t.Fatalf("the script's clock is at %v", src.Now())
		}
		gate, err := cluster.NewGate(src, roles...)
		if err != nil {
			t.Fatal(err)
		}
		d := cluster.Decide(v, now, roles...)
		r := cluster.Active(src, cluster.ActivePolicy{Roles: roles}).Check(t.Context())

		if gate.IsActive() != d.Active || d.Active != (r.Status == check.Healthy) {
			t.Errorf("gate %v, check %v, rule %v", gate.IsActive(), r.Status, d)
		}
		if starting := v.State != cluster.Available && v.State != cluster.NotClustered; starting != (r.Status == check.Degraded) {
			t.Errorf("state %v: check %v, which is Degraded while starting and never else", v.State, r.Status)
		}
		node, known := gate.ActiveNode()
		named, inData := r.Data["activeNode"]
		if known != inData || known && named != node || node != d.Holder.Address {
			t.Errorf("gate names %q, data %v, rule %v", node, named, d.Holder)
		}
		if d.Active && node != v.Self.Address {
			t.Errorf("the active node names %q", node)
		}
		want := map[string]any{"reason": d.Reason.String(), "selfAddress": v.Self.Address}
		if d.Holder.Address != "" {
			want["activeNode"] = d.Holder.Address
		}
		if d.Role != "" {
			want["activeRole"] = d.Role
		}
		if diff := cmp.Diff(want, r.Data); diff != "" {
			t.Errorf("data (-want +got):\n%s", diff)
		}
		ctx, release, err := gate.Acquire(t.Context())
		defer release()
		if token, _ := cluster.Token(ctx); (err == nil) != d.Active || token != d.Token {
			t.Errorf("Acquire %v with token %d, rule %v", err, token, d)
		}
	})
}

// TestAtMostOneActiveInAView: and in a view without doubts exactly one.
func TestAtMostOneActiveInAView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, roles := randomViews.Draw(t, "view"), roleSets.Draw(t, "preference")
		if v.State == cluster.NotClustered {
			v.State = cluster.Available
		}
		in := map[string][]cluster.Key{}
		for _, m := range v.Members {
			d := cluster.Decide(of(v, m.Key), now, roles...)
			if !d.Active {
				continue
			}
			in[d.Role] = append(in[d.Role], m.Key)
			if m.Status != cluster.Up || m.Age == 0 || m.Age != d.Token || d.Self != m.Key || d.Holder != m.Key {
				t.Errorf("%v is active: %+v", m, d)
			}
		}
		for role, keys := range in {
			if len(keys) > 1 {
				t.Errorf("role %q: %v are active", role, keys)
			}
		}
		candidate := func(m cluster.Member) bool { return m.Status == cluster.Up && m.Age > 0 }
		holds := func(m cluster.Member) bool { return m.Status == cluster.Removed && m.HoldUntil > now }
		sure := v.State == cluster.Available && v.ValidUntil > now && !slices.ContainsFunc(v.Members, holds)
		if len(roles) == 0 && sure && slices.ContainsFunc(v.Members, candidate) && len(in[""]) != 1 {
			t.Errorf("%d are active, want one", len(in[""]))
		}
	})
}

// TestTheOldestDecides: nothing but ages, statuses and roles tells who it is; above
// all no address (S1.23, S1.30), no reachability (S1.31), no clock of a peer (X27)
// and no order of the members.
func TestTheOldestDecides(t *testing.T) {
	for name, change := range map[string]func(*rapid.T, []cluster.Member) []cluster.Member{
		"addresses": func(t *rapid.T, members []cluster.Member) []cluster.Member {
			renamed := rapid.Permutation([]string{a, b, c}).Draw(t, "addresses")
			for i, m := range members {
				members[i].Address = renamed[slices.Index([]string{a, b, c}, m.Address)]
			}
			return members
		},
		"reachability": func(t *rapid.T, members []cluster.Member) []cluster.Member {
			for i := range members {
				members[i].Reachable = rapid.Bool().Draw(t, "reachable")
			}
			return members
		},
		"clocks": func(t *rapid.T, members []cluster.Member) []cluster.Member {
			for i := range members {
				members[i].Seen = instants.Draw(t, "seen")
			}
			return members
		},
		"meta": func(t *rapid.T, members []cluster.Member) []cluster.Member {
			for i := range members {
				members[i].Meta = map[string]string{"leader": "yes"}
			}
			return members
		},
		"order": func(t *rapid.T, members []cluster.Member) []cluster.Member {
			return rapid.Permutation(members).Draw(t, "members")
		},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v, roles := randomViews.Draw(t, "view"), roleSets.Draw(t, "preference")
				if v.State == cluster.NotClustered {
					return
				}
				changed := *v
				changed.Members = change(t, slices.Clone(v.Members))
				for _, m := range changed.Members {
					if m.Incarnation == v.Self.Incarnation {
						changed.Self = m.Key
					}
				}
				before, after := cluster.Decide(v, now, roles...), cluster.Decide(&changed, now, roles...)
				for _, k := range []*cluster.Key{&before.Self, &before.Holder, &after.Self, &after.Holder} {
					k.Address = ""
				}
				if before != after {
					t.Errorf("before %+v, after %+v", before, after)
				}
			})
		})
	}
}
