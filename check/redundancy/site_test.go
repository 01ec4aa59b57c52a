package redundancy

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// guarded is a gate with what it stands on.
type guarded struct {
	*gate
	newest   atomic.Pointer[snapshot]
	warnings atomic.Int64
}

// guard returns the gate of the driver role over a source.
func guard(t testing.TB, src cluster.Source, own ...string) *guarded {
	t.Helper()
	names, err := siteNames(own)
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{}
	ask := func() standing {
		now := src.Now()
		return standingIn(src.View(), now, driver, g.newest.Load())
	}
	g.gate, err = newGate(src, driver, names, ask, func(string, ...any) { g.warnings.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// site returns one of the gate's sites.
func (g *guarded) site(name string) *Site { return g.sites()[name] }

// counted are the counts that are not 0.
func (g *guarded) counted() map[string]uint64 {
	counts := map[string]uint64{}
	for _, c := range g.denials.list() {
		if c.Count > 0 {
			counts[c.Site+" "+c.Reason.String()] = c.Count
		}
	}
	return counts
}

// activeNode is a source whose node A is the active driver for as long as d, before B.
func activeNode(d time.Duration) *clustertest.Script {
	src := clustertest.NewScriptFollowing(clustertest.Clock{}, nodeA)
	src.Join(nodeA, driver)
	src.Up(nodeA)
	src.Join(nodeB, driver)
	src.Up(nodeB)
	src.Confirm(d)
	return src
}

// The snapshots that the tests of a pair use.
var (
	saysPrimary   = told(map[string]Role{nodeA: Primary, nodeB: Secondary})
	saysSecondary = told(map[string]Role{nodeA: Secondary, nodeB: Primary})
	saysDetached  = told(map[string]Role{nodeA: Detached, nodeB: Primary})
	saysNothing   = told(map[string]Role{nodeB: Primary})
)

// waysIn are the calls that count what they deny.
var waysIn = map[string]func(*Site, context.Context) (context.Context, func(), error){
	"Acquire": (*Site).Acquire,
	"Enter":   (*Site).Enter,
	"Allow": func(s *Site, ctx context.Context) (context.Context, func(), error) {
		return ctx, func() {}, s.Allow()
	},
}

// TestSitesDeny: all sites follow the one table (S4.29), each denied call counts once,
// and the source is never asked to count work that is not let in.
func TestSitesDeny(t *testing.T) {
	for _, tt := range []struct {
		name   string
		newest *snapshot
		why    Denial
	}{
		{"no snapshot", nil, DeniedRoleUnknown},
		{"omitted", saysNothing, DeniedRoleUnknown},
		{"secondary", saysSecondary, DeniedSecondary},
		{"detached", saysDetached, DeniedDetached},
	} {
		for way, in := range waysIn {
			t.Run(tt.name+"/"+way, func(t *testing.T) {
				src := &tracking{Script: activeNode(time.Hour)}
				g := guard(t, src, "own")
				g.newest.Store(tt.newest)
				want := map[string]uint64{}
				for name, site := range g.sites() {
					if site.IsActive() { // which counts nothing
						t.Errorf("%s: open", name)
					}
					work, release, err := in(site, t.Context())
					var denied *DeniedError
					if !errors.As(err, &denied) || *denied != (DeniedError{name, tt.why}) {
						t.Errorf("%s: error %v, want %q", name, err, tt.why)
					}
					if way != "Allow" && (work.Err() == nil || !errors.Is(context.Cause(work), ErrNotPrimary)) {
						t.Errorf("%s: the denied context has not ended: cause %v", name, context.Cause(work))
					}
					release()
					release()
					want[name+" "+tt.why.String()] = 1
				}
				if diff := cmp.Diff(want, g.counted()); diff != "" {
					t.Errorf("counts (-want +got):\n%s", diff)
				}
				if n := src.tracked.Load(); n != 0 {
					t.Errorf("the source was asked to count %d that were denied", n)
				}
			})
		}
	}
}

// tracking remembers how often it was asked to count work.
type tracking struct {
	*clustertest.Script
	tracked atomic.Int64
}

func (s *tracking) Track() func() {
	s.tracked.Add(1)
	return s.Script.Track()
}

// TestSitesServe: the primary's work carries its token, is counted until it is
// released, and nothing is counted as denied.
func TestSitesServe(t *testing.T) {
	for way, in := range waysIn {
		t.Run(way, func(t *testing.T) {
			src := activeNode(time.Hour)
			g := guard(t, src, "own")
			g.newest.Store(saysPrimary)
			for name, site := range g.sites() {
				if !site.IsActive() {
					t.Errorf("%s: closed", name)
				}
				if node, known := site.ActiveNode(); node != nodeA || !known {
					t.Errorf("%s: the primary is %q, %v", name, node, known)
				}
				work, release, err := in(site, t.Context())
				if err != nil || work.Err() != nil {
					t.Fatalf("%s: error %v, context %v", name, err, work.Err())
				}
				if way == "Allow" {
					continue
				}
				if token, ok := cluster.Token(work); token != 1 || !ok {
					t.Errorf("%s: token %d, %v, want the age, 1", name, token, ok)
				}
				if n := src.Working(); n != 1 {
					t.Errorf("%s: %d counted while it works, want 1", name, n)
				}
				release()
				release()
				if n := src.Working(); n != 0 || work.Err() == nil {
					t.Errorf("%s: %d counted after release, context %v", name, n, work.Err())
				}
			}
			if counts := g.counted(); len(counts) > 0 {
				t.Errorf("counted %v", counts)
			}
		})
	}
}

// TestSitesReadLive: nothing is kept between two questions (S4.27, S4.32).
func TestSitesReadLive(t *testing.T) {
	src := clustertest.NewScript(nodeA)
	g := guard(t, src)
	write := g.site(SiteWrite)
	for _, step := range []struct {
		name string
		do   func()
		want Denial
	}{
		{"starting", func() {}, DeniedRoleUnknown},
		{"joins alone", func() { src.Join(nodeA, driver); src.Confirm(time.Minute) }, DeniedRoleUnknown},
		{"is Up and alone", func() { src.Up(nodeA) }, NotDenied},
		{"a peer joins", func() { src.Join(nodeB, driver) }, NotDenied},
		{"the peer is Up", func() { src.Up(nodeB) }, DeniedRoleUnknown},
		{"the first snapshot", func() { g.newest.Store(saysPrimary) }, NotDenied},
		{"behind the fence", src.Expire, DeniedRoleUnknown},
		{"confirmed again", func() { src.Confirm(time.Minute) }, NotDenied},
		{"another snapshot", func() { g.newest.Store(saysSecondary) }, DeniedSecondary},
		{"and back", func() { g.newest.Store(saysPrimary) }, NotDenied},
		{"one that omits it", func() { g.newest.Store(saysNothing) }, DeniedRoleUnknown},
		{"the peer is gone", func() { src.Remove(nodeB) }, NotDenied},
		{"leaves", func() { src.SetStatus(nodeA, cluster.Leaving) }, DeniedRoleUnknown},
		{"no view at all", func() { src.Set(nil) }, DeniedRoleUnknown},
	} {
		step.do()
		got := NotDenied
		var denied *DeniedError
		if errors.As(write.Allow(), &denied) {
			got = denied.Denial
		}
		if got != step.want {
			t.Fatalf("%s: %q, want %q", step.name, got, step.want)
		}
	}
}

// losing gives up the role after it was asked so often.
type losing struct {
	*tracking
	asks atomic.Int64
}

func (s *losing) View() *cluster.View {
	if s.asks.Add(1) == 2 {
		s.SetStatus(nodeA, cluster.Leaving)
	}
	return s.Script.View()
}

// TestRoleLostInBetween: what the cluster's gate stops after the table has served is
// one denial.
func TestRoleLostInBetween(t *testing.T) {
	for way, in := range waysIn {
		if way == "Allow" {
			continue
		}
		t.Run(way, func(t *testing.T) {
			src := &losing{tracking: &tracking{Script: activeNode(time.Hour)}}
			g := guard(t, src)
			g.newest.Store(saysPrimary)
			work, release, err := in(g.site(SiteAck), t.Context())
			var denied *DeniedError
			if !errors.As(err, &denied) || *denied != (DeniedError{SiteAck, DeniedRoleUnknown}) {
				t.Errorf("error %v", err)
			}
			if !errors.Is(context.Cause(work), ErrNotPrimary) {
				t.Errorf("cause %v", context.Cause(work))
			}
			release()
			if src.tracked.Load() != 1 || src.Working() != 0 {
				t.Errorf("counted %d times, %d left, want once and none", src.tracked.Load(), src.Working())
			}
			if diff := cmp.Diff(map[string]uint64{"ack role-unknown": 1}, g.counted()); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if n := g.warnings.Load(); n != 1 {
				t.Errorf("%d warnings, want 1", n)
			}
		})
	}
}

// TestWorkEndsAtTheFence: a primary that hears nothing any more stops.
func TestWorkEndsAtTheFence(t *testing.T) {
	for way, in := range waysIn {
		if way == "Allow" {
			continue
		}
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := activeNode(10 * time.Second)
				g := guard(t, src)
				g.newest.Store(saysPrimary)
				work, release, err := in(g.site(SiteWrite), t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer release()
				if deadline, ok := work.Deadline(); ok != (way == "Acquire") || ok && time.Until(deadline) != 10*time.Second {
					t.Errorf("deadline in %v, %v", time.Until(deadline), ok)
				}
				time.Sleep(10*time.Second - time.Millisecond - 1)
				synctest.Wait()
				if work.Err() != nil {
					t.Errorf("ended before the fence: %v", context.Cause(work))
				}
				time.Sleep(time.Millisecond + 1)
				synctest.Wait()
				if !errors.Is(context.Cause(work), cluster.ErrNotActive) {
					t.Errorf("at the fence: cause %v", context.Cause(work))
				}
				if g.site(SiteWrite).IsActive() {
					t.Error("open behind the fence")
				}
			})
		})
	}
}

// TestAckWarning is S4.31: acks are dropped with one warning for each window in which
// the role is unknown.
func TestAckWarning(t *testing.T) {
	src := activeNode(time.Hour)
	g := guard(t, src)
	deny := func(site string, times int) {
		for range times {
			if g.site(site).Allow() == nil {
				t.Fatalf("%s is served", site)
			}
		}
	}
	for _, step := range []struct {
		name string
		do   func()
		want int64
	}{
		{"writes and emits are denied", func() { deny(SiteWrite, 3); deny(SiteAlarmEmit, 3) }, 0},
		{"acks are denied", func() { deny(SiteAck, 3) }, 1},
		{"another site's calls do not end the window", func() { deny(SiteWrite, 1); deny(SiteAck, 1) }, 1},
		{"secondary", func() { g.newest.Store(saysSecondary); deny(SiteAck, 3) }, 1},
		{"unknown again", func() { g.newest.Store(saysNothing); deny(SiteAck, 3) }, 2},
		{"primary, as whoever follows the standing sees", func() { g.newest.Store(saysPrimary); g.look() }, 2},
		{"unknown once more", func() { g.newest.Store(saysNothing); deny(SiteAck, 3) }, 3},
	} {
		step.do()
		if n := g.warnings.Load(); n != step.want {
			t.Fatalf("%s: %d warnings, want %d", step.name, n, step.want)
		}
	}
}

// TestSitesWithoutANode: what was not configured denies, and counts for nobody.
func TestSitesWithoutANode(t *testing.T) {
	for name, site := range map[string]*Site{"nil": nil, "zero": {}} {
		for way, in := range waysIn {
			_, release, err := in(site, t.Context())
			if err == nil || err.Error() != "redundancy: not primary (role unknown)" {
				t.Errorf("%s: %s: error %v", name, way, err)
			}
			release()
		}
		if site.IsActive() {
			t.Errorf("%s: open", name)
		}
		if node, known := site.ActiveNode(); node != "" || known {
			t.Errorf("%s: the primary is %q", name, node)
		}
	}
}

// TestSitesOfANodeThatWorksAlone: no cluster is the posture of a single node (S4.27).
func TestSitesOfANodeThatWorksAlone(t *testing.T) {
	src, err := cluster.Standalone(nodeA)
	if err != nil {
		t.Fatal(err)
	}
	write := guard(t, src).site(SiteWrite)
	for way, in := range waysIn {
		work, release, err := in(write, t.Context())
		if err != nil || work.Err() != nil {
			t.Errorf("%s: error %v, context %v", way, err, work.Err())
		}
		if token, ok := cluster.Token(work); ok {
			t.Errorf("%s: token %d", way, token)
		}
		release()
	}
}

// TestNoContext: a nil context is a mistake that only shows at run time, where nothing
// may panic.
func TestNoContext(t *testing.T) {
	var missing context.Context
	for _, newest := range []*snapshot{saysPrimary, saysSecondary} {
		g := guard(t, activeNode(time.Hour))
		g.newest.Store(newest)
		for way, in := range waysIn {
			work, release, err := in(g.site(SiteWrite), missing)
			if way != "Allow" && (work == nil || (err == nil) != (work.Err() == nil)) {
				t.Errorf("%s: error %v, context %v", way, err, work)
			}
			release()
		}
	}
}

// TestSitesConcurrentSafe has many callers while the role comes and goes. What was let
// in has the token of the only life that could.
func TestSitesConcurrentSafe(t *testing.T) {
	src := activeNode(time.Hour)
	g := guard(t, src)
	sites := g.sites()
	var served, denied atomic.Uint64
	var callers sync.WaitGroup
	for _, name := range []string{SiteWrite, SiteAck, SiteAlarmEmit, SiteAck} {
		for way, in := range waysIn {
			callers.Go(func() {
				for range 100 {
					work, release, err := in(sites[name], t.Context())
					if err != nil {
						denied.Add(1)
					} else {
						served.Add(1)
						if token, _ := cluster.Token(work); way != "Allow" && token != 1 {
							t.Errorf("token %d", token)
						}
					}
					sites[name].IsActive()
					sites[name].ActiveNode()
					release()
				}
			})
		}
	}
	callers.Go(func() {
		for i := range 200 {
			g.newest.Store([]*snapshot{saysPrimary, saysSecondary, saysNothing, nil}[i%4])
			src.SetReachable(nodeB, i%2 == 0)
			g.denials.list()
		}
	})
	callers.Wait()
	total := uint64(0)
	for _, c := range g.denials.list() {
		total += c.Count
	}
	if total != denied.Load() || served.Load()+denied.Load() != 4*3*100 {
		t.Errorf("%d denials counted, %d seen, %d served", total, denied.Load(), served.Load())
	}
	if n := src.Working(); n != 0 {
		t.Errorf("%d still counted", n)
	}
}

func TestSiteNames(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  []string
		want string
	}{
		{"none", nil, ""},
		{"some", []string{"historian", "Übergabe an B"}, ""},
		{"64 bytes", []string{strings.Repeat("a", 64)}, ""},
		{"65 bytes", []string{strings.Repeat("a", 65)}, `redundancy: sites 0 "` + strings.Repeat("a", 65) + `": must have at most 64 bytes`},
		{"empty", []string{"a", ""}, `redundancy: sites 1 "": must not be empty`},
		{"no text", []string{"a\xff"}, `redundancy: sites 0 "a\xff": must be valid UTF-8`},
		{"a control character", []string{"a\nb"}, `redundancy: sites 0 "a\nb": must not contain U+000A, which does not show`},
		{"twice", []string{"a", "a"}, `redundancy: sites 1 "a": must not repeat another site`},
		{"one of the three", []string{"write"}, `redundancy: sites 0 "write": must not repeat another site`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names, err := siteNames(tt.own)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			if err == nil && len(names) != 3+len(tt.own) {
				t.Errorf("sites %q", names)
			}
		})
	}
}

func TestGateRefusesARole(t *testing.T) {
	_, err := newGate(clustertest.NewScript(nodeA), "a b", nil, nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "redundancy: gate: cluster: role 0 ") {
		t.Errorf("error %v", err)
	}
	if _, err := newGate(nil, driver, nil, nil, nil); err == nil {
		t.Error("a gate without a source")
	}
}

// crowdedNode is the primary of as many members as a large cluster has.
func crowdedNode(tb testing.TB) *guarded {
	tb.Helper()
	src := activeNode(time.Hour)
	for _, other := range []string{"10.0.1.1:1", "10.0.1.1:2", "10.0.1.1:3", "10.0.1.1:4", "10.0.1.1:5", "10.0.1.1:6", "10.0.1.1:7", "10.0.1.1:8"} {
		src.Join(other, driver)
		src.Up(other)
	}
	g := guard(tb, src)
	g.newest.Store(saysPrimary)
	return g
}

// TestServingAllocatesNothing: the gate is asked for every operation.
func TestServingAllocatesNothing(t *testing.T) {
	write := crowdedNode(t).site(SiteWrite)
	for name, f := range map[string]func(){
		"Allow":      func() { _ = write.Allow() },
		"IsActive":   func() { write.IsActive() },
		"ActiveNode": func() { write.ActiveNode() },
	} {
		if n := testing.AllocsPerRun(100, f); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkAllow(b *testing.B) {
	write := crowdedNode(b).site(SiteWrite)
	b.ReportAllocs()
	for b.Loop() {
		if err := write.Allow(); err != nil {
			b.Fatal(err)
		}
	}
}
