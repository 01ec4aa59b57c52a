package clustertest_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

const (
	a = "10.0.0.1:4053"
	b = "10.0.0.2:4053"
)

// reason is how the script's node stands.
func reason(s *clustertest.Script) cluster.Reason { return cluster.Ask(s).Reason }

func TestScript(t *testing.T) {
	s := clustertest.NewScript(a)
	for _, step := range []struct {
		name string
		do   func()
		want cluster.Reason
	}{
		{"new", func() {}, cluster.ReasonStarting},
		{"joined and not confirmed", func() { s.Join(a) }, cluster.ReasonExpired},
		{"confirmed", func() { s.Confirm(10 * time.Second) }, cluster.ReasonNoMember},
		{"up", func() { s.Up(a) }, cluster.ReasonActive},
		{"not reachable", func() { s.SetReachable(a, false) }, cluster.ReasonActive},
		{"another", func() { s.Join(b); s.Up(b) }, cluster.ReasonActive},
		{"a new life", func() { s.Join(a) }, cluster.ReasonNotUp},
		{"up again, as the youngest", func() { s.Up(a) }, cluster.ReasonStandby},
		{"the other is deleted", func() { s.Hold(b, 5*time.Second) }, cluster.ReasonHeld},
		{"its time passes", func() { s.Advance(5 * time.Second) }, cluster.ReasonActive},
		{"the fence passes", func() { s.Expire() }, cluster.ReasonExpired},
		{"confirmed again", func() { s.Confirm(time.Second) }, cluster.ReasonActive},
		{"the other comes back, as the youngest", func() { s.Join(b); s.Up(b) }, cluster.ReasonActive},
		{"leaving", func() { s.SetStatus(a, cluster.Leaving) }, cluster.ReasonNotUp},
		{"gone", func() { s.Remove(a) }, cluster.ReasonNotUp},
		{"no view", func() { s.Set(nil) }, cluster.ReasonStarting},
		{"a view again", func() { s.Join(b) }, cluster.ReasonExpired},
	} {
		step.do()
		if got := reason(s); got != step.want {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
}

// TestExpireStopsAtTheFence: neither before it nor after, and never back.
func TestExpireStopsAtTheFence(t *testing.T) {
	s := clustertest.NewScript(a)
	s.Confirm(time.Minute)
	s.Expire()
	if now := s.Now(); now != s.View().ValidUntil {
		t.Errorf("now %v, fence %v", now, s.View().ValidUntil)
	}
	s.Advance(time.Second)
	before := s.Now()
	s.Expire()
	s.Set(nil)
	s.Expire()
	if s.Now() != before {
		t.Errorf("went from %v to %v", before, s.Now())
	}
}

// TestViewsAreImmutable: one that was handed out does not change.
func TestViewsAreImmutable(t *testing.T) {
	s := clustertest.NewScript(a)
	roles := []string{"admin"}
	s.Join(a, roles...)
	s.Join(b)
	v := s.View()
	before := *v
	before.Members = append([]cluster.Member(nil), v.Members...)
	roles[0] = "driver"
	s.Up(a)
	s.SetStatus(b, cluster.Down)
	s.SetReachable(a, false)
	s.Remove(b)
	s.Join(a)
	s.Hold(a, time.Second)
	s.Confirm(time.Second)
	if diff := cmp.Diff(before, *v); diff != "" {
		t.Errorf("the view changed (-before +after):\n%s", diff)
	}
	if !v.Members[0].HasRole("admin") {
		t.Errorf("the roles changed to %v", v.Members[0].Roles)
	}
}

// TestChanged: every change closes the channel of before, and the channel comes
// with the view of before or a newer one.
func TestChanged(t *testing.T) {
	s := clustertest.NewScript(a)
	for name, change := range map[string]func(){
		"join":    func() { s.Join(a) },
		"confirm": func() { s.Confirm(time.Second) },
		"set":     func() { s.Set(nil) },
	} {
		changed := s.Changed()
		select {
		case <-changed:
			t.Errorf("%s: changed before", name)
		default:
		}
		change()
		select {
		case <-changed:
		default:
			t.Errorf("%s: not changed", name)
		}
	}
	changed := s.Changed()
	s.Advance(time.Hour)
	select {
	case <-changed:
		t.Error("time changes no view")
	default:
	}
}

// TestTheLastVersionWins is F54: views may come late, twice and in any order.
func TestTheLastVersionWins(t *testing.T) {
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 54))
		var views []*cluster.View
		for revision := range uint64(8) {
			v := &cluster.View{Revision: revision + 1}
			views = append(views, v, v)
		}
		random.Shuffle(len(views), func(i, j int) { views[i], views[j] = views[j], views[i] })
		s := clustertest.NewScript(a)
		newest := uint64(0)
		for _, v := range views {
			s.Set(v)
			newest = max(newest, v.Revision)
			if got := s.View().Revision; got != newest {
				t.Fatalf("seed %d: revision %d, want %d", seed, got, newest)
			}
		}
	}
}

// TestSameRevision: a heartbeat changes no member, and counts.
func TestSameRevision(t *testing.T) {
	s := clustertest.NewScript(a)
	s.Set(&cluster.View{Revision: 1, ValidUntil: 1})
	s.Set(&cluster.View{Revision: 1, ValidUntil: 2})
	if got := s.View().ValidUntil; got != 2 {
		t.Errorf("valid until %d, want 2", got)
	}
}

func TestTrack(t *testing.T) {
	s := clustertest.NewScript(a)
	first, second := s.Track(), s.Track()
	if n := s.Working(); n != 2 {
		t.Errorf("%d, want 2", n)
	}
	first()
	first()
	if n := s.Working(); n != 1 {
		t.Errorf("%d after one was done twice, want 1", n)
	}
	second()
	if n := s.Working(); n != 0 {
		t.Errorf("%d, want 0", n)
	}
}

// TestMistypedMember: a test that names nobody tests nothing.
func TestMistypedMember(t *testing.T) {
	s := clustertest.NewScript(a)
	for name, f := range map[string]func(){
		"Up":           func() { s.Up(b) },
		"SetStatus":    func() { s.SetStatus(b, cluster.Down) },
		"SetReachable": func() { s.SetReachable(b, true) },
		"Remove":       func() { s.Remove(b) },
		"Hold":         func() { s.Hold(b, time.Second) },
	} {
		func() {
			defer func() {
				if p := recover(); p != `clustertest: member "10.0.0.2:4053": must be in the view` {
					t.Errorf("%s: %v", name, p)
				}
			}()
			f()
		}()
	}
	s.Join(a) // and nothing is locked
}

// TestClockFollowsTheBubble: with it a script goes on in virtual time.
func TestClockFollowsTheBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clustertest.NewScriptFollowing(clustertest.Clock{}, a)
		s.Join(a)
		s.Up(a)
		s.Confirm(time.Minute)
		time.Sleep(time.Minute - 1)
		if got := reason(s); got != cluster.ReasonActive {
			t.Errorf("before the fence: %v", got)
		}
		time.Sleep(time.Nanosecond)
		if got := reason(s); got != cluster.ReasonExpired {
			t.Errorf("at the fence: %v", got)
		}
		s.Confirm(time.Minute)
		s.Advance(time.Minute)
		if got := reason(s); got != cluster.ReasonExpired {
			t.Errorf("after a jump: %v", got)
		}
	})
}

func TestOwnClockStandsStill(t *testing.T) {
	s := clustertest.NewScript(a)
	before := s.Now()
	time.Sleep(time.Microsecond)
	if after := s.Now(); after != before {
		t.Errorf("went from %v to %v", before, after)
	}
}
