package cluster_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// TestClosedGates is S1.47 and F52: whatever does not answer is closed.
func TestClosedGates(t *testing.T) {
	activeOne := activeScript(a, time.Hour)
	stale := clustertest.NewScript(a)
	stale.Join(a)
	stale.Up(a)
	stale.Confirm(time.Second)
	stale.Expire()
	none := clustertest.NewScript(a)
	none.Set(nil)
	var missing *cluster.Gate
	for name, gate := range map[string]*cluster.Gate{
		"nil":              missing,
		"zero":             {},
		"starting":         newGate(t, clustertest.NewScript(a)),
		"no view":          newGate(t, none),
		"stale view":       newGate(t, stale),
		"the view panics":  newGate(t, broken{Script: activeOne, view: true}),
		"the clock panics": newGate(t, broken{Script: activeOne, now: true}),
		"no role":          newGate(t, activeOne, "admin"),
	} {
		if gate.IsActive() {
			t.Errorf("%s: open", name)
		}
		if node, known := gate.ActiveNode(); node != "" || known {
			t.Errorf("%s: names %q", name, node)
		}
	}
	if !newGate(t, activeOne).IsActive() {
		t.Error("the gate that the others are compared with is closed")
	}
}

// TestGateFollowsTheSource: nothing is kept between two questions.
func TestGateFollowsTheSource(t *testing.T) {
	src := clustertest.NewScript(a)
	gate := newGate(t, src)
	for _, step := range []struct {
		name string
		do   func()
		open bool
		node string
	}{
		{"starting", func() {}, false, ""},
		{"joins", func() { src.Join(a); src.Confirm(10 * time.Second) }, false, ""},
		{"up", func() { src.Up(a) }, true, a},
		{"another joins", func() { src.Join(b); src.Up(b) }, true, a},
		{"just before the fence", func() { src.Advance(10*time.Second - 1) }, true, a},
		{"at the fence", func() { src.Advance(1) }, false, ""},
		{"confirmed again", func() { src.Confirm(10 * time.Second) }, true, a},
		{"leaves", func() { src.SetStatus(a, cluster.Leaving) }, false, b},
	} {
		step.do()
		node, known := gate.ActiveNode()
		if gate.IsActive() != step.open || node != step.node || known != (step.node != "") {
			t.Errorf("%s: open %v, node %q, known %v", step.name, gate.IsActive(), node, known)
		}
	}
}

func TestNewGateRefuses(t *testing.T) {
	var missing *clustertest.Script
	for name, tt := range map[string]struct {
		src   cluster.Source
		roles []string
		want  string
	}{
		"no source":     {nil, nil, "cluster: source nil: must not be nil"},
		"a nil pointer": {missing, nil, "cluster: source nil: must not be nil"},
		"a blank role":  {clustertest.NewScript(a), []string{""}, `cluster: role 0 "": must not be empty`},
	} {
		if g, err := cluster.NewGate(tt.src, tt.roles...); g != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, %v, want %s", name, g, err, tt.want)
		}
	}
}

// TestGateKeepsItsRoles: the caller's slice is the caller's.
func TestGateKeepsItsRoles(t *testing.T) {
	src := clustertest.NewScript(a)
	src.Join(a, "admin")
	src.Up(a)
	src.Confirm(time.Hour)
	roles := []string{"admin"}
	gate := newGate(t, src, roles...)
	active := cluster.Active(src, cluster.ActivePolicy{Roles: roles})
	roles[0] = "driver"
	if r := ask(t, active); !gate.IsActive() || r.Data["activeRole"] != "admin" {
		t.Errorf("gate %v, check %v", gate.IsActive(), r)
	}
}

func TestAskWithoutASource(t *testing.T) {
	for name, src := range map[string]cluster.Source{
		"nil":    nil,
		"broken": broken{Script: activeScript(a, time.Hour), view: true},
	} {
		if d := cluster.Ask(src); d != (cluster.Decision{}) {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// paused is a source that takes long to give its view.
type paused struct{ *clustertest.Script }

func (s paused) View() *cluster.View {
	v := s.Script.View()
	s.SetStatus(a, cluster.Leaving)
	s.Advance(time.Second)
	return v
}

// TestTheClockIsReadBeforeTheView: then a pause between the two, in which the node
// may have given up its role, makes an answer about the moment before it. In the
// other order the node would claim to be active at a moment when it was not.
func TestTheClockIsReadBeforeTheView(t *testing.T) {
	src := clustertest.NewScript(a)
	src.Join(a)
	src.Up(a)
	src.Confirm(time.Second)
	if d := cluster.Ask(paused{src}); d.Reason != cluster.ReasonActive {
		t.Errorf("%v, want the answer of before the pause", d.Reason)
	}
}

// crowded is a source with as many members as a large cluster has.
func crowded() cluster.Source {
	src := clustertest.NewScript(a)
	src.Join(a, "admin", "driver")
	src.Up(a)
	for port := range 9 {
		other := fmt.Sprintf("10.0.0.2:%d", port+1)
		src.Join(other, "driver")
		src.Up(other)
	}
	src.Confirm(time.Hour)
	return src
}

// TestAskingAllocatesNothing: a gate is asked for every request.
func TestAskingAllocatesNothing(t *testing.T) {
	src := crowded()
	gate, scoped := newGate(t, src), newGate(t, src, "admin", "driver")
	for name, f := range map[string]func(){
		"IsActive":         func() { gate.IsActive() },
		"IsActive, scoped": func() { scoped.IsActive() },
		"ActiveNode":       func() { gate.ActiveNode() },
	} {
		if n := testing.AllocsPerRun(100, f); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
