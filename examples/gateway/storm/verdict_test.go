package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// sent is a connection's subscribes, which took so long; the last brought all items.
func sent(n int, apart, took time.Duration, cost int) []send {
	var sends []send
	for i := range n {
		s := send{at: time.Duration(i) * apart, requests: 1, err: errors.New("no answer"), wait: floor << min(i, 10)}
		s.ended = s.at + took
		sends = append(sends, s)
	}
	sends[n-1].err, sends[n-1].requests = nil, cost
	return sends
}

// as they must be.
func asTheyMustBe() []outcome {
	var outcomes []outcome
	for i, v := range variants() {
		o := outcome{variant: v, good: true, goodAt: stall + 20*time.Second, requests: 100, peakOpen: 10, peak: 10}
		cost := 245
		if v.batched {
			cost = 1
		}
		o.before = sent(1, 0, time.Second, cost)
		switch {
		case i == 0:
			o.good, o.goodAt, o.requests, o.peakOpen, o.peak, o.left = false, 0, 8000, 600, 600, 600
			o.sends = [][]send{sent(47, retry, 30*time.Second, cost), sent(47, retry, 30*time.Second, cost)}
		case v.guarded:
			o.sends = [][]send{sent(4, 37*time.Second, 30*time.Second, cost), sent(4, 38*time.Second, 30*time.Second, cost)}
		default:
			o.sends = [][]send{sent(26, retry, 30*time.Second, cost), sent(26, retry, 30*time.Second, cost)}
		}
		outcomes = append(outcomes, o)
	}
	outcomes[3].goodAt = stall + 3*time.Second
	return outcomes
}

// TestVerdict changes one thing of what must be, and wants to be told that one.
func TestVerdict(t *testing.T) {
	for _, err := range missed(asTheyMustBe()) {
		t.Error(err)
	}
	cases := map[string]struct {
		spoil func(nothing, first, second, all *outcome)
		want  string
	}{
		"an unguarded one that waits":    {func(n, _, _, _ *outcome) { n.sends[1] = sent(20, 6*time.Second, time.Minute, 245) }, "nothing, mixer: 19 subscribes in 1m50s, must be 20 to 22"},
		"a guard that sends four":        {func(_, f, _, _ *outcome) { f.sends[0] = sent(4, 36*time.Second, 30*time.Second, 245) }, "lever 1, press: 4 subscribes in 1m50s, must be 3 to 3"},
		"a guard that sends two":         {func(_, _, _, a *outcome) { a.sends[0][2].at = stall }, "all, press: 2 subscribes in 1m50s"},
		"a guard with two in flight":     {func(_, _, _, a *outcome) { a.sends[1][0].ended = stall }, "all, mixer: 2 subscribes at a time, must be 1"},
		"a guard that does not back off": {func(_, f, _, _ *outcome) { f.sends[0][2].wait = floor }, "waits of 5.0 10.0 5.0 s, must be about 5, 10 and 20"},
		"a request for each item":        {func(_, _, s, _ *outcome) { s.before[0].requests = 245 }, "lever 2: a subscribe takes 0 requests, must be 1"},
		"lever 1 that never recovers":    {func(_, f, _, _ *outcome) { f.good = false }, "lever 1: all is good false"},
		"lever 2 that recovers late":     {func(_, _, s, _ *outcome) { s.goodAt = stall + prompt + 1 }, "lever 2: all is good true"},
		"as many requests":               {func(_, f, _, _ *outcome) { f.requests = 8000 }, "lever 1: 8000 requests, must be fewer"},
		"as many at a time":              {func(_, f, _, _ *outcome) { f.peakOpen = 600 }, "lever 1: 600 requests at a time"},
		"as long a queue":                {func(_, _, s, _ *outcome) { s.peak = 600 }, "lever 2: 600 commands queued"},
		"a storm that ends by itself":    {func(n, _, _, _ *outcome) { n.good, n.goodAt = true, stall+100*time.Second }, "nothing: all is good after 1m40s"},
		"a storm without a backlog":      {func(n, _, _, _ *outcome) { n.left = 32 }, "nothing: 32 commands before the worker at the end"},
		"levers that do not add up":      {func(_, _, _, a *outcome) { a.goodAt = stall + 20*time.Second }, "all: good 20s after the stall"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := asTheyMustBe()
			c.spoil(&o[0], &o[1], &o[2], &o[3])
			missed := missed(o)
			if len(missed) != 1 || !strings.Contains(missed[0].Error(), "not reached: ") || !strings.Contains(missed[0].Error(), c.want) {
				t.Errorf("%v, want %q", missed, c.want)
			}
		})
	}
}

// TestLate counts what was answered when another had been sent.
func TestLate(t *testing.T) {
	sends := sent(4, retry, 30*time.Second, 245)
	sends[0].err, sends[1].err, sends[1].ended = nil, nil, sends[2].at
	sends[3].open = true
	if n := late(sends); n != 1 {
		t.Errorf("%d late", n)
	}
}
