package tiers_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// TestDefaultPaths mounts in one call (S1.1, S1.50); the opt-in tiers come with
// their first check or when asked for.
func TestDefaultPaths(t *testing.T) {
	three := []string{"/health/ready", "/health/active", "/healthz"}
	withChecks := tiers.New()
	must(t, withChecks.AddStartup("a", answer(check.Healthy)), withChecks.AddWedged("b", answer(check.Healthy)))
	for name, c := range map[string]struct {
		set    *tiers.Set
		opts   []tiers.MountOption
		served []string
	}{
		"plain":       {tiers.New(), nil, three},
		"with checks": {withChecks, nil, append([]string{"/health/startup", "/health/wedged"}, three...)},
		"asked for":   {tiers.New(), []tiers.MountOption{nil, tiers.WithStartupPath("/startup"), tiers.WithWedgedPath("/restart")}, append([]string{"/startup", "/restart"}, three...)},
		"moved":       {tiers.New(), []tiers.MountOption{tiers.WithReadyPath("/r"), tiers.WithActivePath("/a"), tiers.WithLivePath("/")}, []string{"/r", "/a", "/"}},
	} {
		endpoints, err := c.set.Endpoints(c.opts...)
		must(t, err)
		for kind, h := range map[string]http.Handler{"mux": mounted(t, c.set, c.opts...), "endpoints": endpoints} {
			for _, path := range []string{"/", "/r", "/a", "/startup", "/restart", "/health/ready", "/health/active", "/healthz", "/health/startup", "/health/wedged", "/health", "/debug/pprof/", "/debug/vars", "/metrics"} {
				want := 404
				for _, served := range c.served {
					if path == served {
						want = 200
					}
				}
				if got := probe(h, "GET", path).Code; got != want {
					t.Errorf("%s: %s: %s answers %d, want %d", name, kind, path, got, want)
				}
			}
		}
	}
}

// TestDefaultPathsAreOfTheirTiers asks which tier answers at each path: each has
// a check of its own, and the live one none (S1.1, S1.7).
func TestDefaultPathsAreOfTheirTiers(t *testing.T) {
	s := tiers.New()
	for _, tag := range []string{"ready", "active", "startup", "wedged"} {
		must(t, s.Register("check of "+tag, answer(check.Healthy), tag))
	}
	s.Evaluate(t.Context(), tiers.Ready) // latches the start, so that startup shows its own
	endpoints, err := s.Endpoints()
	must(t, err)
	for kind, h := range map[string]http.Handler{"mux": mounted(t, s), "endpoints": endpoints} {
		for path, entry := range map[string]string{
			"/health/ready": "check of ready", "/health/active": "check of active", "/healthz": "",
			"/health/startup": "check of startup", "/health/wedged": "check of wedged",
		} {
			b := want(t, probe(h, "GET", path), 200, "Healthy")
			if _, there := b.Entries[entry]; there != (entry != "") || len(b.Entries) > 1 {
				t.Errorf("%s: %s shows %v, want %q", kind, path, b.Entries, entry)
			}
		}
	}
	var order []tiers.Tier
	for _, state := range s.TierStates() {
		order = append(order, state.Tier)
	}
	if diff := cmp.Diff([]tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged}, order); diff != "" {
		t.Errorf("the order of the tiers: %s", diff)
	}
	// The first of the tiers that share a path is the one that has it.
	tiersInOrder := []string{"ready", "active", "live", "startup", "wedged"}
	same := []tiers.MountOption{tiers.WithReadyPath("/x"), tiers.WithActivePath("/x"), tiers.WithLivePath("/x"), tiers.WithStartupPath("/x"), tiers.WithWedgedPath("/x")}
	for i := range len(same) - 1 {
		_, err := tiers.New().Endpoints(same[i], same[i+1])
		if says := "tier " + tiersInOrder[i+1] + "): is that of tier " + tiersInOrder[i]; err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// TestExactPaths asks for every other spelling of a path. None may
// reach a tier; ServeMux alone redirects some before any handler is asked, and
// Endpoints redirects nothing.
func TestExactPaths(t *testing.T) {
	s := tiers.New()
	must(t, s.AddReady("a", answer(check.Healthy)))
	mux := mounted(t, s)
	endpoints, err := s.Endpoints()
	must(t, err)
	for path, byMux := range map[string]int{
		"/health/ready":          200,
		"/health/ready/":         404,
		"/health/Ready":          404,
		"/health/ready;x=1":      404,
		"/health/ready/x":        404,
		"/health/ready%2F":       404,
		"/health%2Fready":        404,
		"/%68ealth/ready":        404,
		"/health/read%79":        404,
		"/health/ready%00":       404,
		"/health/ready%20":       404,
		"/health/ready%3Fx":      404,
		"//health/ready":         307,
		"/health//ready":         307,
		"/health/./ready":        307,
		"/x/../health/ready":     307,
		"/health/%2e/ready":      404,
		"/x/%2e%2e/health/ready": 404,
	} {
		u, err := url.ParseRequestURI(path)
		must(t, err)
		ask := func(h http.Handler) int {
			rec := newRecorder()
			h.ServeHTTP(rec, &http.Request{Method: "GET", URL: u, Host: "h", Header: http.Header{}})
			return rec.Code
		}
		if got := ask(mux); got != byMux {
			t.Errorf("mux: %s: %d, want %d", path, got, byMux)
		}
		want := 404
		if path == "/health/ready" {
			want = 200
		}
		if got := ask(endpoints); got != want {
			t.Errorf("endpoints: %s: %d, want %d", path, got, want)
		}
	}
}

// TestUnderAPrefix mounts below a prefix that an outer router strips.
func TestUnderAPrefix(t *testing.T) {
	outer := http.NewServeMux()
	outer.Handle("/svc/", http.StripPrefix("/svc", mounted(t, tiers.New())))
	want(t, probe(outer, "GET", "/svc/health/ready"), 200, "Healthy")
	if got := probe(outer, "GET", "/svc/%68ealth/ready").Code; got != 404 {
		t.Errorf("another spelling: %d", got)
	}
}

// TestPathsThatCannotBeServed refuses each before anything is mounted (S1.52).
func TestPathsThatCannotBeServed(t *testing.T) {
	for _, opts := range [][]tiers.MountOption{
		{tiers.WithReadyPath("")},
		{tiers.WithActivePath("")},
		{tiers.WithLivePath("")},
		{tiers.WithStartupPath("")},
		{tiers.WithWedgedPath("")},
		{tiers.WithReadyPath("ready")},
		{tiers.WithReadyPath("GET /ready")},
		{tiers.WithReadyPath("example.com/ready")},
		{tiers.WithReadyPath("/ready/")},
		{tiers.WithReadyPath("//ready")},
		{tiers.WithReadyPath("/a/../ready")},
		{tiers.WithReadyPath("/{tier}")},
		{tiers.WithReadyPath("/ready?x")},
		{tiers.WithReadyPath("/ready#x")},
		{tiers.WithReadyPath("/re ady")},
		{tiers.WithReadyPath("/re%20ady")},
		{tiers.WithReadyPath("/ready\n")},
		{tiers.WithReadyPath("/ré")},
		{tiers.WithReadyPath("/healthz")},
		{tiers.WithReadyPath("/x"), tiers.WithActivePath("/x")},
		{tiers.WithWedgedPath("/health/ready")},
		{tiers.WithStartupPath("/x"), tiers.WithWedgedPath("/x")},
	} {
		mux := http.NewServeMux()
		err := tiers.New().Mount(mux, opts...)
		if !errors.Is(err, tiers.ErrPath) {
			t.Errorf("%+v: error %v, want ErrPath", opts, err)
		}
		for _, path := range []string{"/health/ready", "/health/active", "/healthz", "/x"} {
			if _, pattern := mux.Handler(&http.Request{Method: "GET", URL: &url.URL{Path: path}}); pattern != "" {
				t.Errorf("%+v: %s is mounted", opts, pattern)
			}
		}
		if _, err := tiers.New().Endpoints(opts...); !errors.Is(err, tiers.ErrPath) {
			t.Errorf("%+v: Endpoints: error %v, want ErrPath", opts, err)
		}
	}
	if err := tiers.New().Mount(nil); err == nil {
		t.Error("a nil mux was taken")
	}
}

// TestMuxThatHasThePath refuses a mux on which a probe would not reach the
// tier, by an error and not by ServeMux's panic, and serves nothing on it.
func TestMuxThatHasThePath(t *testing.T) {
	for _, pattern := range []string{
		"/health/ready", "/healthz", "GET /health/active", "HEAD /healthz", "POST /healthz",
		"GET /", "GET /{anything}", "DELETE /health/", "OPTIONS /health/{tier}", "REPORT /healthz/{$}", "REPORT /{anything}",
	} {
		mux := http.NewServeMux()
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the application") })
		s := tiers.New()
		must(t, s.AddReady("secret", answer(check.Healthy)))
		err := s.Mount(mux)
		if strings.HasSuffix(pattern, "{$}") { // another path, and so no collision
			must(t, err)
			continue
		}
		if !errors.Is(err, tiers.ErrPath) {
			t.Errorf("%s: error %v, want ErrPath", pattern, err)
		}
		for _, path := range []string{"/health/ready", "/health/active", "/healthz"} {
			if rec := probe(mux, "GET", path); rec.Code == 200 && rec.Body.String() != "the application" {
				t.Errorf("%s: %s is half mounted: %s", pattern, path, rec.Body)
			}
		}
	}
}

// TestMuxOfAnApplication leaves an application's other patterns alone.
func TestMuxOfAnApplication(t *testing.T) {
	mux := http.NewServeMux()
	for _, pattern := range []string{"/", "/health/", "/{anything}", "POST /orders", "/health/ready/"} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	}
	s := tiers.New()
	must(t, s.Mount(mux))
	for path, code := range map[string]int{"/health/ready": 200, "/healthz": 200, "/health/ready/": 418, "/health/other": 418, "/": 418} {
		if got := probe(mux, "GET", path).Code; got != code {
			t.Errorf("%s: %d, want %d", path, got, code)
		}
	}
	if err := s.Mount(mux); !errors.Is(err, tiers.ErrPath) {
		t.Errorf("mounted twice: %v", err)
	}
	elsewhere := []tiers.MountOption{tiers.WithReadyPath("/2/ready"), tiers.WithActivePath("/2/active"), tiers.WithLivePath("/2/healthz")}
	must(t, s.Mount(mux, append(elsewhere, tiers.WithStartupPath("/2/startup"))...))
	if got := probe(mounted(t, s, elsewhere...), "GET", "/health/startup").Code; got != 404 {
		t.Errorf("startup was asked for on another mux, and is here with %d", got)
	}
}

// TestMountingAddsNoChecks shows that the registry is the application's
// (S1.51), and that checks registered after Mount are served.
func TestMountingAddsNoChecks(t *testing.T) {
	s := tiers.New()
	mux := mounted(t, s, tiers.WithStartupPath("/s"), tiers.WithWedgedPath("/w"))
	if got := s.CheckStates(); len(got) != 0 {
		t.Errorf("checks %+v", got)
	}
	must(t, s.AddReady("late", answer(check.Unhealthy)))
	want(t, probe(mux, "GET", "/health/ready"), 503, "Unhealthy")
}

// TestOptInTiersAfterMount refuses the first check of a tier that no path shows,
// and takes it where the tier was asked for or has a handler of its own.
func TestOptInTiersAfterMount(t *testing.T) {
	ok := answer(check.Healthy)
	for _, tier := range []tiers.Tier{tiers.Startup, tiers.Wedged} {
		s := tiers.New()
		mux := mounted(t, s)
		if err := s.Register("late", ok, "ready", string(tier)); err == nil || !strings.Contains(err.Error(), string(tier)+" tier is not mounted") {
			t.Errorf("%s after Mount: %v", tier, err)
		}
		must(t, s.AddReady("late", ok))
		want(t, probe(mux, "GET", "/health/ready"), 200, "Healthy")

		byHand := s.Handler(tier)
		must(t, s.Register("by hand", ok, string(tier)))
		if b := want(t, probe(byHand, "GET", "/"), 200, "Healthy"); b.Entries["by hand"].Status != "Healthy" {
			t.Errorf("%s by hand: %v", tier, b)
		}

		before := tiers.New()
		must(t, before.Register("early", ok, string(tier)))
		mux = mounted(t, before)
		must(t, before.Register("late", answer(check.Unhealthy), string(tier)))
		want(t, probe(mux, "GET", "/health/"+string(tier)), 503, "Unhealthy")

		asked := tiers.New()
		mounted(t, asked, tiers.WithStartupPath("/s"), tiers.WithWedgedPath("/w"))
		must(t, asked.Register("late", ok, string(tier)))
	}
}

// TestFailedMountServesNothing leaves the Set as it was: a tier that could not
// be mounted is not shown to exporters and not evaluated by Run.
func TestFailedMountServesNothing(t *testing.T) {
	s := tiers.New()
	opts := []tiers.MountOption{tiers.WithStartupPath("/s"), tiers.WithWedgedPath("")}
	if err := s.Mount(http.NewServeMux(), opts...); !errors.Is(err, tiers.ErrPath) {
		t.Fatal(err)
	}
	if _, err := s.Endpoints(opts...); !errors.Is(err, tiers.ErrPath) {
		t.Fatal(err)
	}
	taken := http.NewServeMux()
	taken.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	if err := s.Mount(taken, tiers.WithStartupPath("/s")); !errors.Is(err, tiers.ErrPath) {
		t.Fatal(err)
	}
	if states := s.TierStates(); len(states) != 2 {
		t.Errorf("%+v", states)
	}
	must(t, s.AddWedged("after a failed Mount", answer(check.Healthy)))
}

// TestHostPatternsTakePrecedence is what Mount documents of them.
func TestHostPatternsTakePrecedence(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("example.com/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	must(t, tiers.New().Mount(mux))
	for host, code := range map[string]int{"example.com": 418, "example.org": 200} {
		if got := probe(mux, "GET", "http://"+host+"/healthz").Code; got != code {
			t.Errorf("%s: %d, want %d", host, got, code)
		}
	}
}
