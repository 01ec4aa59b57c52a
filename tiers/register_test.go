package tiers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// names lists the checks of a set with their tiers.
func names(s *tiers.Set) map[string][]tiers.Tier {
	m := map[string][]tiers.Tier{}
	for _, c := range s.CheckStates() {
		m[c.Name] = c.Tiers
	}
	return m
}

func TestTagsAreThoseOfTheSpecification(t *testing.T) {
	got := []string{tiers.TagReady, tiers.TagActive, tiers.TagLive}
	if diff := cmp.Diff([]string{"ready", "active", "live"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestTagsSelectTiers puts one check on every set of tags, given in any order
// and twice, and asks every tier (S1.2, S1.8).
func TestTagsSelectTiers(t *testing.T) {
	takers := []tiers.Tier{tiers.Ready, tiers.Active, tiers.Startup, tiers.Wedged}
	for mask := 1; mask < 1<<len(takers); mask++ {
		s := tiers.New()
		must(t, s.AddStartup("starts", answer(check.Healthy))) // so that its tier shows itself
		must(t, s.AddReady("runs", answer(check.Healthy)))
		s.Evaluate(t.Context(), tiers.Ready) // latches the start

		var tags []string
		var on []tiers.Tier
		for i, tier := range takers {
			if mask&(1<<i) != 0 {
				tags = append([]string{string(tier), string(tier)}, tags...)
				on = append(on, tier)
			}
		}
		must(t, s.Register("check", answer(check.Unhealthy), tags...))
		if diff := cmp.Diff(on, names(s)["check"]); diff != "" {
			t.Error(diff)
		}
		for i, tier := range takers {
			want := check.Healthy
			if mask&(1<<i) != 0 {
				want = check.Unhealthy
			}
			if got := s.Evaluate(t.Context(), tier).Status; got != want {
				t.Errorf("tags %q: %s is %s, want %s", tags, tier, got, want)
			}
		}
	}
}

// TestRegistrationRefuses wants an error that says what is wrong, and a Set
// that is as it was (S1.6, F48).
func TestRegistrationRefuses(t *testing.T) {
	var noFunc check.Func
	var noPointer *wrongPointer
	ok := answer(check.Healthy)
	const known = "ready, active, startup, wedged"

	for name, c := range map[string]struct {
		register func(*tiers.Set) error
		is       error
		says     string
	}{
		"live tag":            {func(s *tiers.Set) error { return s.Register("c", ok, tiers.TagLive) }, tiers.ErrInvalidTag, known},
		"live among others":   {func(s *tiers.Set) error { return s.Register("c", ok, "ready", "live") }, tiers.ErrInvalidTag, known},
		"live by option":      {func(s *tiers.Set) error { return s.AddReady("c", ok, tiers.WithTags("live")) }, tiers.ErrInvalidTag, known},
		"unknown tag":         {func(s *tiers.Set) error { return s.Register("c", ok, "redy") }, tiers.ErrInvalidTag, known},
		"unknown and known":   {func(s *tiers.Set) error { return s.Register("c", ok, "ready", "Ready") }, tiers.ErrInvalidTag, known},
		"empty tag":           {func(s *tiers.Set) error { return s.Register("c", ok, "") }, tiers.ErrInvalidTag, known},
		"no tag":              {func(s *tiers.Set) error { return s.Register("c", ok) }, tiers.ErrInvalidTag, known},
		"duplicate":           {func(s *tiers.Set) error { return s.AddReady("there", ok) }, tiers.ErrDuplicate, `"there"`},
		"duplicate elsewhere": {func(s *tiers.Set) error { return s.AddActive("there", ok) }, tiers.ErrDuplicate, `"there"`},
		"nil":                 {func(s *tiers.Set) error { return s.AddReady("c", nil) }, nil, "nil"},
		"nil function":        {func(s *tiers.Set) error { return s.AddReady("c", noFunc) }, nil, "nil"},
		"nil pointer":         {func(s *tiers.Set) error { return s.AddActive("c", noPointer) }, nil, "nil"},
		"no name":             {func(s *tiers.Set) error { return s.AddReady("", ok) }, nil, "empty"},
		"long name":           {func(s *tiers.Set) error { return s.AddReady(strings.Repeat("n", 201), ok) }, nil, "200"},
		"a megabyte":          {func(s *tiers.Set) error { return s.AddReady(strings.Repeat("n", 1<<20), ok) }, nil, "200"},
		"invalid UTF-8":       {func(s *tiers.Set) error { return s.AddReady("a\xff", ok) }, nil, "UTF-8"},
		"surrogate":           {func(s *tiers.Set) error { return s.AddReady("a\xed\xa0\x80", ok) }, nil, "UTF-8"},
		"control":             {func(s *tiers.Set) error { return s.AddReady("a\nb", ok) }, nil, "U+000A"},
		"NUL":                 {func(s *tiers.Set) error { return s.AddReady("a\x00", ok) }, nil, "U+0000"},
		"right to left":       {func(s *tiers.Set) error { return s.AddReady("a\u202eb", ok) }, nil, "U+202E"},
		"zero width":          {func(s *tiers.Set) error { return s.AddReady("a\u200b", ok) }, nil, "U+200B"},
		"line separator":      {func(s *tiers.Set) error { return s.AddReady("a\u2028b", ok) }, nil, "U+2028"},
		"reserved":            {func(s *tiers.Set) error { return s.AddReady("draining", ok) }, nil, "Drain"},
		"sampling": {func(s *tiers.Set) error {
			return s.AddReady("c", ok, tiers.WithSampling(check.Sampling{Limit: -time.Second}))
		}, nil, "-1s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tiers.New()
			must(t, s.AddReady("there", answer(check.Degraded)))
			err := c.register(s)
			if err == nil || len(err.Error()) > 2000 || !strings.HasPrefix(err.Error(), "tiers: ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one of tiers that says %q", err, c.says)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v is not %v", err, c.is)
			}
			if diff := cmp.Diff(map[string][]tiers.Tier{"there": {tiers.Ready}}, names(s)); diff != "" {
				t.Errorf("the set has changed: %s", diff)
			}
			if got := s.Evaluate(t.Context(), tiers.Ready).Status; got != check.Degraded {
				t.Errorf("what was there is %s", got)
			}
		})
	}
}

// wrongPointer is a check whose nil pointer would panic at every probe.
type wrongPointer struct{ status check.Status }

func (p *wrongPointer) Check(context.Context) check.Result { return check.Result{Status: p.status} }

// TestOneCheckManyNames registers one object under two names, and options that
// are nil.
func TestOneCheckManyNames(t *testing.T) {
	c := answer(check.Degraded)
	s := tiers.New(nil, tiers.WithClock(nil), tiers.WithLogger(nil), tiers.WithObserver(nil))
	must(t, s.AddReady("b", c, nil), s.AddReady("a", c), s.AddReady("Z", c))
	got := s.Evaluate(t.Context(), tiers.Ready).Entries
	if len(got) != 3 || got[0].Name != "Z" || got[1].Name != "a" || got[2].Name != "b" {
		t.Errorf("entries %+v, want Z, a, b", got)
	}
}

// TestZeroSet shows that the zero Set is one with nothing in it.
func TestZeroSet(t *testing.T) {
	var s tiers.Set
	want(t, probe(mounted(t, &s), "GET", "/health/ready"), 200, "Healthy")
	must(t, s.AddReady("c", answer(check.Unhealthy)))
	want(t, probe(mounted(t, &s), "GET", "/health/ready"), 503, "Unhealthy")
}

// TestCase113DuplicateName registers a failing check under the name of a
// passing one: the error comes at once, and the report goes on with the first.
func TestCase113DuplicateName(t *testing.T) {
	for _, second := range []check.Status{check.Unhealthy, check.Degraded, check.Healthy} {
		s := tiers.New()
		must(t, s.AddReady("db", answer(check.Healthy)))
		if err := s.AddReady("db", answer(second)); !errors.Is(err, tiers.ErrDuplicate) {
			t.Errorf("error %v", err)
		}
		rec := probe(mounted(t, s), "GET", "/health/ready")
		b := want(t, rec, 200, "Healthy")
		if len(b.Entries) != 1 || strings.Count(rec.Body.String(), `"db"`) != 1 {
			t.Errorf("body %s, want one db", rec.Body)
		}
	}
}
