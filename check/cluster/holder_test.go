package cluster_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// TestHolder is whom everybody takes for the active node of a role. Asked at one
// second, with the fence at two.
func TestHolder(t *testing.T) {
	const admin = "admin"
	for _, tt := range []struct {
		name string
		view *cluster.View
		role string
		want string
	}{
		{name: "no view"},
		{name: "the zero view", view: &cluster.View{}},
		{name: "starting, whatever else it says", view: inState(cluster.Starting, available(a, up(a, 1)))},
		{name: "not clustered: there is nobody to ask about", view: inState(cluster.NotClustered, available(a, up(a, 1)))},
		{name: "a state that this version does not know", view: inState(7, available(a, up(a, 1)))},
		{name: "no member", view: available(a)},
		{name: "the oldest, although the address is higher", view: available(a, up(a, 9), up(b, 7)), want: b},
		{name: "whoever asks", view: available(b, up(a, 9), up(b, 7)), want: b},
		{name: "also one that is not among the members", view: available(c, up(a, 9), up(b, 7)), want: b},
		{name: "not reachable (S1.31)", view: available(b, unreachable(up(a, 1)), up(b, 2)), want: a},
		{name: "an older one is Leaving", view: available(b, member(a, cluster.Leaving, 1), up(b, 2)), want: b},
		{name: "an older one is WeaklyUp", view: available(b, member(a, cluster.WeaklyUp, 1), up(b, 2)), want: b},
		{name: "an age that is not known is never the oldest", view: available(b, up(a, 0), up(b, 2)), want: b},
		{name: "nobody is Up", view: available(a, member(a, cluster.Joining, 0), member(b, cluster.Exiting, 1))},
		{name: "in the role, asked by one that does not hold it", role: admin, view: available(a, up(a, 1), up(b, 2, admin)), want: b},
		{name: "nobody holds the role", role: admin, view: available(a, up(a, 1), up(b, 2))},
		{name: "an older one was removed before its time", view: available(b, held(a, 1, second+1), up(b, 2))},
		{name: "its time has passed", view: available(b, held(a, 1, second), up(b, 2)), want: b},
		{name: "a younger one bars nobody", view: available(b, up(b, 2), held(c, 3, second+1)), want: b},
		{name: "one of another role bars nobody", role: admin, view: available(b, held(a, 1, second+1, "driver"), up(b, 2, admin)), want: b},
	} {
		t.Run(tt.name, func(t *testing.T) {
			holder, known := cluster.Holder(tt.view, second, tt.role)
			if holder.Address != tt.want || known != (tt.want != "") {
				t.Errorf("%v, %v, want %q", holder, known, tt.want)
			}
			if !known && holder != (cluster.Key{}) {
				t.Errorf("names %v, and says that it is not known", holder)
			}
		})
	}
}

// TestHolderAtTheFence: a view that may not be acted on names nobody.
func TestHolderAtTheFence(t *testing.T) {
	v := available(a, up(a, 1))
	for now, want := range map[cluster.Instant]bool{0: true, 2*second - 1: true, 2 * second: false, 2*second + 1: false} {
		if _, known := cluster.Holder(v, now, ""); known != want {
			t.Errorf("at %v: known %v, want %v", time.Duration(now), known, want)
		}
	}
}

// TestHolderIsWhomDecideCallsActive: in every node's own view of one picture the holder
// is active, nobody else is, and without a holder nobody is.
func TestHolderIsWhomDecideCallsActive(t *testing.T) {
	known, nobody := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		v := randomViews.Draw(t, "view")
		role := rapid.SampledFrom([]string{"", "admin", "driver"}).Draw(t, "role")
		var preference []string
		if role != "" {
			preference = []string{role}
		}
		if v.State == cluster.NotClustered {
			v.State = cluster.Available
		}
		holder, found := cluster.Holder(v, now, role)
		if found == (holder == cluster.Key{}) {
			t.Fatalf("%v, known %v", holder, found)
		}
		active := map[bool]int{true: 1}[found] // those that must be
		if found {
			known++
		} else {
			nobody++
		}
		for _, m := range v.Members {
			own := of(v, m.Key)
			if again, _ := cluster.Holder(own, now, role); again != holder {
				t.Fatalf("%v in the view of %v, and %v in another", again, m.Key, holder)
			}
			d := cluster.Decide(own, now, preference...)
			if d.Active {
				active--
			}
			if d.Holder != holder && (d.Active || d.Holder != cluster.Key{}) {
				t.Fatalf("%v names %v, and the holder is %v", m.Key, d.Holder, holder)
			}
			if found && (d.Reason == cluster.ReasonHeld || d.Reason == cluster.ReasonExpired || d.Reason == cluster.ReasonStarting) {
				t.Fatalf("%v says %v, and the holder is %v", m.Key, d.Reason, holder)
			}
		}
		if active != 0 {
			t.Fatalf("%d too few are active, holder %v", active, holder)
		}
	})
	if known == 0 || nobody == 0 {
		t.Errorf("%d pictures with a holder, %d without", known, nobody)
	}
}

// TestHolderAllocatesNothing: it is asked for each view.
func TestHolderAllocatesNothing(t *testing.T) {
	v := crowded().View()
	now := v.ConfirmedAt
	if n := testing.AllocsPerRun(100, func() { cluster.Holder(v, now, "driver") }); n > 0 {
		t.Errorf("allocates %v times", n)
	}
}
