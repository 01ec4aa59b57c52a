package prom_test

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

// TestRedundancy follows one node from its start to its end.
func TestRedundancy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWarm(t, redundancy.Config{})
		r := newRig(t, otelbridge.Sources{Redundancy: w.Node})
		for range 2 {
			time.Sleep(time.Second)
			for _, s := range r.both(t) {
				s.want(t, `redundancy_service_level`, 250)
				s.want(t, `redundancy_service_level_change_total{level="250"}`, 1)
				s.want(t, `redundancy_role{role="primary"}`, 1)
				s.want(t, `redundancy_role{role="unknown"}`, 0)
				s.want(t, `redundancy_peer_probe_total{outcome="failed",peer="b:4053"}`, 1)
				s.want(t, `redundancy_observed_timestamp_seconds`, float64(time.Now().UnixNano())/1e9)
			}
		}
		w.view.Join("c:4053", "driver") // what follows it is prepared anew
		w.view.Remove("b:4053")
		time.Sleep(time.Second)
		for _, s := range r.both(t) {
			s.want(t, `redundancy_peer_probe_total{outcome="failed",peer="c:4053"}`, 1)
			s.want(t, `redundancy_ignored_total{kind="version"}`, 0)
			s.absent(t, "b:4053")
		}
		w.view.Expire()
		if err := w.Site(redundancy.SiteAck).Allow(); err == nil {
			t.Error("a node behind its fence takes acks")
		}
		w.stop()
		for _, s := range r.both(t) {
			s.want(t, `redundancy_primary_gate_denied_total{reason="role-unknown",site="ack"}`, 1)
			s.want(t, `redundancy_service_level`, 0)
		}
	})
}

// TestRedundancyBeforeItRuns: there is no level and no snapshot yet, and a role
// that is unknown.
func TestRedundancyBeforeItRuns(t *testing.T) {
	node, err := redundancy.New(redundancy.Config{Source: clustertest.NewScript("a:4053"), Bus: redundancy.NewLocalBus()})
	must(t, err)
	for _, s := range newRig(t, otelbridge.Sources{Redundancy: node}).both(t) {
		s.want(t, `redundancy_role{role="unknown"}`, 1)
		s.want(t, `redundancy_service_level_change_total{level="250"}`, 0)
		s.absent(t, "snapshot")
		s.absent(t, "probe")
		if _, known := s["redundancy_service_level"]; known {
			t.Error("a level before there is one")
		}
	}
}
