//go:build linux

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

func TestTable(t *testing.T) {
	plain, down := faults()[0], faults()[9]
	second := sound()
	second.failover, second.gap, second.refused = 2934*ms, 502*ms, 1
	third := sound()
	third.failover, third.youngest = 2112*ms, false
	slow := sound()
	slow.failover, slow.stall = 6*time.Second, 1200*ms
	back := round{failover: 2134 * ms, same: true}
	var out strings.Builder
	printTable(&out, []*result{
		{fault: plain, engine: engine.NATS, rounds: []round{sound(), second}, repeated: []round{slow}},
		{fault: plain, engine: engine.Etcd, rounds: []round{sound(), third}},
		{fault: down, engine: engine.Etcd, rounds: []round{back, back}},
		{fault: faults()[11], engine: engine.Etcd, rounds: []round{{failover: 2 * time.Second, gap: -901 * ms, overlap: 901583 * time.Microsecond, accepted: 326}}},
		{fault: plain, engine: engine.Etcd},
	})
	got, _, _ := strings.Cut(out.String(), legend)
	want := `
                                          failover in ms        gap   overlap              stale writes
fault                     engine rounds    min  median     max       ms        ms  youngest  accepted  refused
--------------------------------------------------------------------------------------------------------------
kill -9                   nats        2   2500    2500    2934      502         0       yes         0        1
kill -9                   etcd        2   2112    2112    2500      505         0    1 of 2         0        0
engine down past the TTL  etcd        2   2134    2134    2134        -         0         -         0        0
CONTROL: Session.Done     etcd        1   2000    2000    2000     -901   901.583         -       326        0
kill -9                   etcd        0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, line := range []string{
		"engine down past the TTL, etcd: the same node was active afterwards in 2 of 2 rounds",
		"kill -9, nats: one round with a failover of 6000 ms was done again, since this machine stood still for 1200 ms",
	} {
		if !strings.Contains(out.String(), "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, &out)
		}
	}
}

// TestLegendTellsTheLimits keeps the text in step with the rules.
func TestLegendTellsTheLimits(t *testing.T) {
	for _, f := range faults() {
		for _, most := range []time.Duration{f.most, f.most95} {
			if most > 0 && !strings.Contains(legend, " "+whole(most)) {
				t.Errorf("%s: the legend does not tell the limit of %s ms", f.name, whole(most))
			}
		}
	}
}
