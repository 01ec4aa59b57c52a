package otelbridge_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/otelbridge"
)

// warm is one node of a pair, as a test drives it.
type warm struct {
	*redundancy.Node
	view *clustertest.Script
	stop func() // Run returns; it may be called again
}

// newWarm returns a node that is Up and alone, with a peer that joins, in a
// synctest bubble. It runs until the end of the test.
func newWarm(t testing.TB, c redundancy.Config) *warm {
	t.Helper()
	w := &warm{view: clustertest.NewScriptFollowing(clustertest.Clock{}, "a:4053")}
	w.view.Join("a:4053", "driver")
	w.view.Up("a:4053")
	w.view.Confirm(time.Hour)
	w.view.Join("b:4053", "driver")
	c.Source, c.Bus, c.Role = w.view, redundancy.NewLocalBus(), "driver"
	if c.Prober == nil {
		c.Prober = func(context.Context, cluster.Member) error { return errors.New("refused") }
	}
	var err error
	w.Node, err = redundancy.New(c, redundancy.WithClock(clustertest.Clock{}))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	synctest.Wait()
	return w
}

// TestRedundancy follows one node from its start to the loss of its role.
func TestRedundancy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node, err := redundancy.New(redundancy.Config{Source: clustertest.NewScript("a:4053"), Bus: redundancy.NewLocalBus()})
		must(t, err)
		r := newRig(t, otelbridge.Sources{Redundancy: node})
		for name, s := range map[string]samples{"redundancy.": r.collect(t), "redundancy_": r.gather(t)} {
			s.absent(t, "service_level{")
			s.absent(t, "snapshot")
			s.absent(t, "probe")
			s.want(t, name+"role{role=unknown}", 1)
			s.want(t, name+"role{role=primary}", 0)
			if _, known := s[name+"service_level"]; known {
				t.Error("a level before there is one")
			}
		}

		w := newWarm(t, redundancy.Config{Sites: []string{"recipe"}})
		r = newRig(t, otelbridge.Sources{Redundancy: w.Node})
		time.Sleep(11 * time.Second)
		w.view.Up("b:4053")
		time.Sleep(time.Second)
		s := r.collect(t)
		s.want(t, "redundancy.service_level", 250)
		s.want(t, "redundancy.service_level_change{level=250}", 1)
		s.want(t, "redundancy.service_level_change{level=100}", 0)
		for role, holds := range map[string]float64{"primary": 1, "secondary": 0, "detached": 0, "unknown": 0} {
			s.want(t, "redundancy.role{role="+role+"}", holds)
		}
		s.want(t, "redundancy.snapshot.age", 1.75)                        // of the one at 10.25 s
		s.want(t, "redundancy.peer_probe{outcome=failed,peer=b:4053}", 3) // at 0, 5 and 10 s
		s.want(t, "redundancy.peer_probe{outcome=ok,peer=b:4053}", 0)
		s.want(t, "redundancy.ignored{kind=garbage}", 0)
		for _, site := range []string{"write", "ack", "alarm-emit", "recipe"} {
			for _, reason := range []string{"secondary", "detached", "role-unknown"} {
				s.want(t, "redundancy.primary_gate_denied{reason="+reason+",site="+site+"}", 0)
			}
		}
		s.want(t, "redundancy.observed_timestamp", float64(time.Now().UnixNano())/1e9)

		w.view.Expire()
		for range 3 {
			if err := w.Site(redundancy.SiteWrite).Allow(); err == nil {
				t.Error("a node behind its fence may write")
			}
		}
		w.view.Remove("b:4053")
		time.Sleep(time.Second)
		s = r.collect(t)
		s.want(t, "redundancy.primary_gate_denied{reason=role-unknown,site=write}", 3)
		s.want(t, "redundancy.role{role=unknown}", 1)
		s.absent(t, "peer=")
		w.stop()
		s = r.gather(t)
		s.want(t, "redundancy_service_level", 0)
		s.want(t, "redundancy_service_level_change_total{level=250}", 1)
	})
}

// TestSourceNames: with the prefix of the service that the rules come from, its
// dashboards and alerts go on (S4.41, S4.42, X24).
func TestSourceNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWarm(t, redundancy.Config{})
		r := newRig(t, otelbridge.Sources{Redundancy: w.Node}, otelbridge.WithNamePrefix("otopcua."))
		time.Sleep(time.Second)
		s := r.collect(t)
		s.want(t, "otopcua.redundancy.service_level_change{level=250}", 1)
		s.want(t, "otopcua.redundancy.primary_gate_denied{reason=role-unknown,site=alarm-emit}", 0)
		units := map[string]string{}
		for _, m := range r.metrics(t) {
			units[m.Name] = m.Unit
		}
		if got := units["otopcua.redundancy.service_level_change"]; got != "{change}" {
			t.Errorf("changes in %q", got)
		}
		if got := units["otopcua.redundancy.primary_gate_denied"]; got != "{denial}" {
			t.Errorf("denials in %q", got)
		}
	})
}

// TestRedundancyPanics: a clock or a source of the user's costs what it tells of,
// and neither the collection nor the process.
func TestRedundancyPanics(t *testing.T) {
	node, err := redundancy.New(redundancy.Config{}, redundancy.WithClock(broken{}))
	must(t, err)
	s := newRig(t, otelbridge.Sources{Redundancy: node}).collect(t)
	s.want(t, "redundancy.role{role=primary}", 1)
	s.absent(t, "snapshot")

	node, err = redundancy.New(redundancy.Config{Source: broken{}, Bus: redundancy.NewLocalBus()})
	must(t, err)
	s = newRig(t, otelbridge.Sources{Redundancy: node}).collect(t)
	s.want(t, "redundancy.role{role=unknown}", 1)
	s.want(t, "redundancy.primary_gate_denied{reason=detached,site=write}", 0)
}

// broken is a clock, and a source, that panics.
type broken struct{}

func (broken) Now() cluster.Instant     { panic("no time") }
func (broken) View() *cluster.View      { panic("no view") }
func (broken) Changed() <-chan struct{} { panic("no news") }
