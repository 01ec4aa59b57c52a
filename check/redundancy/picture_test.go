package redundancy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// canary must not reach anybody but the log.
const canary = "password=hunter2"

// scene is a node of a pair that runs, with all that its level is computed from in
// the hands of the test: no loop of it does.
type scene struct {
	*Node
	src *clustertest.Script
}

// newScene is node self beside the other, A being the older. It is in the middle of a
// run; its database has answered, and the snapshot says that A is the primary.
func newScene(t testing.TB, self string, change ...func(*Config)) *scene {
	t.Helper()
	src := clustertest.NewScriptFollowing(clustertest.Clock{}, self)
	for _, address := range []string{nodeA, nodeB} {
		src.Join(address, driver)
		src.Up(address)
	}
	src.Confirm(time.Hour)
	s := sceneOf(t, src, change...)
	s.inbox.take(saysPrimary, src.View(), clustertest.Clock{}.Now())
	s.answers(nil)
	return s
}

// sceneOf is the node of a source that has heard of nothing.
func sceneOf(t testing.TB, src *clustertest.Script, change ...func(*Config)) *scene {
	t.Helper()
	c := Config{Source: src, Bus: NewLocalBus(), Role: driver, Peers: []string{nodeC}, Database: func(context.Context) error { return nil }}
	for _, f := range change {
		f(&c)
	}
	n, err := New(c, WithClock(clustertest.Clock{}))
	if err != nil {
		t.Fatal(err)
	}
	n.levels.begin()
	return &scene{n, src}
}

// answers is what the database says now.
func (s *scene) answers(err error) {
	a := answer{reach: Reachable, at: clustertest.Clock{}.Now(), err: err}
	if err != nil {
		a.reach = Unreachable
	}
	s.database.mu.Lock()
	defer s.database.mu.Unlock()
	s.database.newest = a
}

// peer is the key that the node's view has for an address.
func (s *scene) peer(address string) cluster.Key {
	for _, m := range s.src.View().Members {
		if m.Address == address {
			return m.Key
		}
	}
	return cluster.Key{}
}

// TestWhatIsShown is the table of all levels in all forms: the entry of the ready
// tier, the resource over HTTP, and the line for HAProxy.
func TestWhatIsShown(t *testing.T) {
	const servers = `"servers":["10.0.0.1:4053","10.0.0.3:4053"]}`
	type shown struct {
		Status   check.Status
		Text     string
		Data     map[string]any
		Code     int
		Degraded string
		Body     string
		Line     string
	}
	at := func(ageMs int64, level int, role string, members int, primary string) map[string]any {
		data := map[string]any{"serviceLevel": level, "role": role, "members": members}
		if ageMs >= 0 {
			data["snapshotAgeMs"] = ageMs
		}
		if primary != "" {
			data["primary"] = primary
		}
		return data
	}
	for name, c := range map[string]struct {
		self  string
		scene func(*scene)
		want  shown
	}{
		"active": {nodeA, func(*scene) {}, shown{
			check.Healthy, "primary, service level 250", at(0, 250, "primary", 2, nodeA),
			200, "", `{"serviceLevel":250,"role":"primary","primary":"10.0.0.1:4053",` + servers, "up 100%\n",
		}},
		"follower": {nodeB, func(*scene) {}, shown{
			check.Healthy, "secondary, service level 240", at(0, 240, "secondary", 2, nodeA),
			200, "", `{"serviceLevel":240,"role":"secondary","primary":"10.0.0.1:4053","servers":["10.0.0.2:4053","10.0.0.3:4053"]}`, "up 96%\n",
		}},
		"stale": {nodeA, func(s *scene) {
			time.Sleep(30*time.Second + time.Millisecond)
			s.answers(nil)
		}, shown{
			check.Degraded, "primary, service level 200", at(30001, 200, "primary", 2, nodeA),
			200, "true", `{"serviceLevel":200,"role":"primary","primary":"10.0.0.1:4053",` + servers, "up 80%\n",
		}},
		"no longer fresh in a moment": {nodeA, func(s *scene) {
			time.Sleep(30 * time.Second)
			s.answers(nil)
		}, shown{
			check.Healthy, "primary, service level 250", at(30000, 250, "primary", 2, nodeA),
			200, "", `{"serviceLevel":250,"role":"primary","primary":"10.0.0.1:4053",` + servers, "up 100%\n",
		}},
		"critical": {nodeA, func(s *scene) { s.answers(errors.New(canary)) }, shown{
			check.Degraded, "primary, service level 100", at(0, 100, "primary", 2, nodeA),
			200, "true", `{"serviceLevel":100,"role":"primary","primary":"10.0.0.1:4053",` + servers, "up 40%\n",
		}},
		"leaving": {nodeA, func(s *scene) { s.src.SetStatus(nodeA, cluster.Leaving) }, shown{
			check.Unhealthy, "role unknown, service level 0", at(0, 0, "unknown", 1, nodeB),
			503, "", `{"serviceLevel":0,"role":"unknown","primary":"10.0.0.2:4053",` + servers, "down #service level 0\n",
		}},
		"behind its fence": {nodeA, func(s *scene) { s.src.Expire() }, shown{
			check.Healthy, "role unknown, service level 240", at(0, 240, "unknown", 2, ""),
			200, "", `{"serviceLevel":240,"role":"unknown",` + servers, "up 96%\n",
		}},
		"over": {nodeA, func(s *scene) { s.levels.end() }, shown{
			check.Unhealthy, "primary, service level 0", at(-1, 0, "primary", 2, nodeA),
			503, "", `{"serviceLevel":0,"role":"primary","primary":"10.0.0.1:4053",` + servers, "down #service level 0\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t, c.self)
				c.scene(s)
				r := s.Check(t.Context())
				rec := httptest.NewRecorder()
				s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
				got := shown{r.Status, r.Description, r.Data, rec.Code, rec.Header().Get("x-envoy-degraded"), rec.Body.String(), s.agentLine()}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				if r.Err != nil {
					t.Errorf("the level has a cause: %v", r.Err)
				}
			})
		})
	}
}

// TestOwnLevelsAreShown: what is down, degraded or best is said by the policy, and
// not by the numbers of the default one.
func TestOwnLevelsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, nodeB, func(c *Config) {
			c.Levels = LevelPolicy{Down: 1, Critical: 2, Stale: 3, Follower: 4, Active: 254}
		})
		for _, want := range []struct {
			change   func()
			code     int
			degraded string
			line     string
		}{
			{func() {}, 200, "", "up 1%\n"}, // 4 of 254, rounded down, and never 0
			{func() { s.answers(errors.New("no route")) }, 200, "true", "up 1%\n"},
			{func() { s.src.SetStatus(nodeB, cluster.Down) }, 503, "", "down #service level 1\n"},
		} {
			want.change()
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
			if line := s.agentLine(); rec.Code != want.code || rec.Header().Get("x-envoy-degraded") != want.degraded || line != want.line {
				t.Errorf("%d %v %q, want %d %q %q", rec.Code, rec.Header(), line, want.code, want.degraded, want.line)
			}
		}
	})
}

// losable is a source that can be lost altogether.
type losable struct {
	*clustertest.Script
	lost *bool
}

func (l losable) View() *cluster.View {
	if *l.lost {
		panic("no source")
	}
	return l.Script.View()
}

// TestEntryWhileStarting: a cluster that is not there yet is Degraded, and one that
// is lost is not (X2).
func TestEntryWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := clustertest.NewScriptFollowing(clustertest.Clock{}, nodeA)
		lost := false
		s := sceneOf(t, src, func(c *Config) { c.Source = losable{src, &lost} })
		want := func(when string, status check.Status, text string) {
			t.Helper()
			if r := s.Check(t.Context()); r.Status != status || r.Description != text {
				t.Errorf("%s: %v %q, want %v %q", when, r.Status, r.Description, status, text)
			}
		}
		want("starting", check.Degraded, "role unknown, service level 0")
		src.Join(nodeA, driver)
		src.Up(nodeA)
		src.Confirm(time.Minute)
		s.answers(nil)
		s.inbox.take(&snapshot{Token: 1, Sequence: 1, Builder: nodeA, Nodes: []nodeRole{{nodeA, Primary}}}, src.View(), clustertest.Clock{}.Now())
		want("the primary", check.Healthy, "primary, service level 250")
		lost = true
		want("lost", check.Unhealthy, "role unknown, service level 0")
	})
}

// TestEntryOfABootingNode walks the other way: down and Unhealthy as soon as the
// cluster is there, stale with the first answer, until the first snapshot.
func TestEntryOfABootingNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := clustertest.NewScriptFollowing(clustertest.Clock{}, nodeB)
		for _, address := range []string{nodeA, nodeB} {
			src.Join(address, driver)
			src.Up(address)
		}
		src.Confirm(time.Minute)
		s := sceneOf(t, src)
		for _, step := range []struct {
			change func()
			status check.Status
			text   string
		}{
			{func() {}, check.Unhealthy, "role unknown, service level 0"},
			{func() { s.answers(nil) }, check.Degraded, "role unknown, service level 200"},
			{func() { s.inbox.take(saysPrimary, src.View(), clustertest.Clock{}.Now()) }, check.Healthy, "secondary, service level 240"},
		} {
			step.change()
			if r := s.Check(t.Context()); r.Status != step.status || r.Description != step.text {
				t.Errorf("%v %q, want %v %q", r.Status, r.Description, step.status, step.text)
			}
		}
	})
}

// TestNobodyIsShown: a nil Node, one that New did not make and one that does not run
// are down, in every form.
func TestNobodyIsShown(t *testing.T) {
	idle, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]*Node{"nil": nil, "zero": {}, "not run": idle} {
		rec := httptest.NewRecorder()
		n.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
		if rec.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
		if line := n.agentLine(); line != "down #service level 0\n" {
			t.Errorf("%s: %q", name, line)
		}
		if r := n.Check(t.Context()); r.Status == check.Healthy || r.Data["serviceLevel"] != 0 {
			t.Errorf("%s: %v %v", name, r.Status, r.Data)
		}
		n.Bind(&screen{})
		if r := n.Database().Check(t.Context()); r.Status != check.Unhealthy {
			t.Errorf("%s: the database is %v", name, r.Status)
		}
	}
}
