//go:build linux

package main

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/claim"
	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

func TestOverlapIsOfDifferentProcesses(t *testing.T) {
	a, b := &life{}, &life{}
	span := func(by *life, first, last int64) owned { return owned{claim.Span{First: first, Last: last}, by} }
	for _, c := range []struct {
		name string
		all  []owned
		want time.Duration
	}{
		{name: "nobody"},
		{name: "one after the other", all: []owned{span(a, 1, 5), span(b, 6, 9)}},
		{name: "gate and tier of one", all: []owned{span(a, 1, 5), span(a, 1, 4), span(b, 6, 9)}},
		{name: "tier of the old over gate of the new", all: []owned{span(a, 1, 5), span(a, 1, 8), span(b, 6, 9)}, want: 3},
		{name: "the longest of two", all: []owned{span(a, 1, 5), span(b, 4, 9), span(a, 6, 20)}, want: 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := overlap(c.all); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestLapse(t *testing.T) {
	a, b := &life{}, &life{}
	span := func(by *life, first, last int64) owned { return owned{claim.Span{First: first, Last: last}, by} }
	for _, c := range []struct {
		name string
		all  []owned
		want time.Duration
	}{
		{name: "nobody at all", want: 90},
		{name: "all the time", all: []owned{span(a, 1, 200)}},
		{name: "between two", all: []owned{span(a, 1, 30), span(b, 55, 100)}, want: 25},
		{name: "until the end", all: []owned{span(a, 1, 30), span(b, 31, 60)}, want: 40},
		{name: "a short one inside a long one", all: []owned{span(a, 1, 80), span(a, 20, 30), span(b, 90, 100)}, want: 10},
		{name: "begun after the end", all: []owned{span(a, 1, 30), span(b, 400, 500)}, want: 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lapse(c.all, 10, 100); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestClaimsComeFromTheFiles(t *testing.T) {
	s := &stage{claimsSeen: 100}
	for _, name := range []string{"old", "a", "b"} {
		file := filepath.Join(t.TempDir(), name)
		if err := claim.Create(file); err != nil {
			t.Fatal(err)
		}
		page, err := claim.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { page.Close() })
		s.lives = append(s.lives, &life{Process: &process.Process{Name: name}, page: page})
	}
	s.lives[0].page.Gate.Sample(10, true) // before the round
	s.lives[1].page.Gate.Sample(110, true)
	s.lives[1].page.Gate.Sample(150, true)
	s.lives[2].page.Tier.Sample(140, true)
	s.lives[2].page.Tier.Sample(170, true)
	all, err := s.claims()
	if err != nil || len(all) != 2 || overlap(all) != 11 {
		t.Errorf("got %v, overlap %v, %v; want two claims that overlap by 11 ns", all, overlap(all), err)
	}
	if got := lastClaim(s.lives[1], 145); got != 150 {
		t.Errorf("last claim %d, want 150", got)
	}
	if all, err := s.claims(); err != nil || len(all) != 0 {
		t.Errorf("asked again: got %v, %v; want nothing new", all, err)
	}
	for i := range int64(2000) {
		s.lives[1].page.Gate.Sample(200+i, i%2 == 0)
	}
	if _, err := s.claims(); err == nil || !strings.Contains(err.Error(), "a: claimed so many times") {
		t.Errorf("got %v, want that the page is full", err)
	}
}

func TestStaleIsJudgedByTheJournal(t *testing.T) {
	for _, c := range []struct {
		name              string
		trusting          bool
		accepted, refused int
	}{
		{name: "a device that refuses", refused: 2},
		{name: "a device that trusts", trusting: true, accepted: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &device.Device{Trusting: c.trusting}
			for _, token := range []uint64{5, 5, 9, 5, 9, 7, 9} {
				d.Write(token, "")
			}
			server := httptest.NewServer(d)
			defer server.Close()
			s := &stage{journal: device.NewClient(server.Listener.Addr().String())}
			defer s.journal.Close()
			accepted, refused, err := s.stale(t.Context())
			if err != nil || accepted != c.accepted || refused != c.refused {
				t.Errorf("got %d accepted and %d refused, %v; want %d and %d", accepted, refused, err, c.accepted, c.refused)
			}
			if accepted, refused, err = s.stale(t.Context()); err != nil || accepted != 0 || refused != 0 {
				t.Errorf("asked again: got %d and %d, %v; want nothing new", accepted, refused, err)
			}
		})
	}
}
