package tiers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

const bodyLimit = 64 << 10

// entries returns n of them, every with-th of the status and the rest Healthy.
func entries(n, with int, status check.Status, e tiers.Entry) []tiers.Entry {
	list := make([]tiers.Entry, n)
	for i := range list {
		list[i] = e
		list[i].Name = fmt.Sprintf("check-%06d", i)
		list[i].Status = check.Healthy
		if i%with == 0 {
			list[i].Status = status
		}
	}
	return list
}

// written encodes a report and checks what holds for every body: valid, within
// the limit, nothing lost count of.
func written(t testing.TB, r tiers.Report) (string, body) {
	t.Helper()
	raw, err := r.AppendJSON(nil)
	must(t, err)
	b := read(t, raw)
	if len(raw) > bodyLimit {
		t.Errorf("%d bytes, at most %d", len(raw), bodyLimit)
	}
	if len(b.Entries)+b.Truncated != len(r.Entries)+r.Truncated {
		t.Errorf("%d entries and %d left out of %d", len(b.Entries), b.Truncated, len(r.Entries)+r.Truncated)
	}
	if !strings.HasPrefix(string(raw), `{"status":"`) || b.Truncated > 0 != strings.Contains(string(raw), `,"truncated":`) {
		t.Errorf("head of %.100s", raw)
	}
	if b.Status != r.Status.Known().String() {
		t.Errorf("status %s of a report that is %s", b.Status, r.Status)
	}
	return string(raw), b
}

// TestLongReportsKeepTheWorst drops healthy entries before others.
func TestLongReportsKeepTheWorst(t *testing.T) {
	for _, n := range []int{1000, 5000, 100_000} {
		for _, status := range []check.Status{check.Unhealthy, check.Degraded} {
			list := entries(n, n/100, status, tiers.Entry{Description: "a description of some forty characters."})
			raw, b := written(t, tiers.Report{Tier: tiers.Ready, Status: status, Entries: list})
			if b.Truncated == 0 || len(raw) < bodyLimit-512 {
				t.Errorf("%d entries: %d bytes with %d left out", n, len(raw), b.Truncated)
			}
			bad := 0
			for _, e := range b.Entries {
				if e.Status == status.String() {
					bad++
				}
			}
			if bad != 100 {
				t.Errorf("%d entries: %d of the 100 %s ones stay", n, bad, status)
			}
			if i, j := strings.Index(raw, "check-000000"), strings.Index(raw, fmt.Sprintf("check-%06d", n-n/100)); i < 0 || j < i {
				t.Errorf("%d entries: not in the order of their names", n)
			}
		}
	}
}

// TestNoneIsDroppedWhileAHealthierStays has more Unhealthy entries than a body
// holds, and Healthy ones that would fit into what they leave.
func TestNoneIsDroppedWhileAHealthierStays(t *testing.T) {
	list := entries(5000, 2, check.Unhealthy, tiers.Entry{Description: strings.Repeat("x", 250)})
	for i := range list {
		if list[i].Status == check.Healthy {
			list[i].Description = ""
		}
	}
	_, b := written(t, tiers.Report{Entries: list})
	for name, e := range b.Entries {
		if e.Status != "Unhealthy" {
			t.Fatalf("%s is %s", name, e.Status)
		}
	}
}

// TestDataGoesFirst gives room to all statuses of one kind before any of their
// details, and to the details of the worst before the names of the healthy.
func TestDataGoesFirst(t *testing.T) {
	list := entries(40, 4, check.Unhealthy, tiers.Entry{Description: "d", Data: map[string]any{"detail": strings.Repeat("x", 4000)}})
	_, b := written(t, tiers.Report{Entries: list})
	var whole, cut, healthy int
	for _, e := range b.Entries {
		switch {
		case e.Status == "Healthy" && e.Data["truncated"] != true:
			healthy++
		case e.Status == "Unhealthy" && e.Data["truncated"] == true:
			cut++
		case e.Status == "Unhealthy":
			whole++
		}
	}
	if whole != 10 || cut != 0 || healthy != 5 || b.Truncated != 0 {
		t.Errorf("%d unhealthy whole, %d cut, %d healthy whole, %d left out", whole, cut, healthy, b.Truncated)
	}
}

// TestHugeParts cuts what alone is longer than a body: the entry stays.
func TestHugeParts(t *testing.T) {
	for name, e := range map[string]tiers.Entry{
		"description":   {Description: strings.Repeat("漢", 1<<20)},
		"data":          {Description: "d", Data: map[string]any{"a": strings.Repeat("x", 1<<20)}},
		"some data":     {Description: "d", Data: map[string]any{"a": 1, "b": make([]int, 1<<20), "c": 2}},
		"many data":     {Description: "d", Data: map[string]any{"a": make([]int, 1<<20)}},
		"writes itself": {Description: "d", Data: map[string]any{"a": text(`"` + strings.Repeat("x", 1<<20) + `"`)}},
		"both":          {Description: strings.Repeat("<", 1<<20), Data: map[string]any{"a": strings.Repeat("<", 1<<20)}},
		"not UTF-8":     {Description: strings.Repeat("\x80", 1<<20)},
		"one of itself": {Description: "d", Data: map[string]any{"a": hostile()["one of itself"], "b": hostile()["a list of itself"]}},
	} {
		e.Name = "huge"
		raw, b := written(t, tiers.Report{Entries: []tiers.Entry{e, {Name: "small", Status: check.Healthy}}})
		if len(b.Entries) != 2 || b.Truncated != 0 {
			t.Errorf("%s: entries %v", name, b.Entries)
		}
		if d := b.Entries["huge"].Description; len(*d) > 1000 || !strings.HasSuffix(*d, "…") && *d != "d" {
			t.Errorf("%s: description of %d bytes: %.300s", name, len(*d), *d)
		}
		if e.Data != nil && b.Entries["huge"].Data["truncated"] != true {
			t.Errorf("%s: data %.200v in %d bytes", name, b.Entries["huge"].Data, len(raw))
		}
	}
}

// TestBodiesAtTheLimit finds the longest body that is written whole, and the
// first that is cut.
func TestBodiesAtTheLimit(t *testing.T) {
	report := func(n int) tiers.Report {
		return tiers.Report{Entries: []tiers.Entry{{Name: "a", Description: strings.Repeat("x", n)}}}
	}
	empty, _ := written(t, report(1))
	fits := bodyLimit - len(empty) + 1
	if raw, b := written(t, report(fits)); len(raw) != bodyLimit || len(*b.Entries["a"].Description) != fits {
		t.Errorf("%d bytes for a body that just fits", len(raw))
	}
	if raw, b := written(t, report(fits+1)); len(raw) > 1000 || len(b.Entries) != 1 {
		t.Errorf("%d bytes for a body that is one too long", len(raw))
	}
}

// TestTruncatedAddsUp counts what a report says was left out before.
func TestTruncatedAddsUp(t *testing.T) {
	if _, b := written(t, tiers.Report{Truncated: 7}); b.Truncated != 7 {
		t.Errorf("truncated %d", b.Truncated)
	}
	list := entries(2000, 1, check.Degraded, tiers.Entry{})
	if _, b := written(t, tiers.Report{Truncated: 7, Entries: list}); b.Truncated != 7+2000-len(b.Entries) || b.Truncated < 8 {
		t.Errorf("truncated %d with %d entries", b.Truncated, len(b.Entries))
	}
}

// TestTruncationOverHTTP keeps the status and the code of the whole.
func TestTruncationOverHTTP(t *testing.T) {
	s := tiers.New()
	for i := range 1500 {
		status := check.Healthy
		if i == 1499 {
			status = check.Unhealthy
		}
		must(t, s.AddReady(fmt.Sprintf("check-%04d", i), answer(status)))
	}
	b := want(t, probe(mounted(t, s), "GET", "/health/ready"), 503, "Unhealthy")
	if b.Truncated == 0 || b.Entries["check-1499"].Status != "Unhealthy" {
		t.Errorf("%d left out; the one that fails: %v", b.Truncated, b.Entries["check-1499"])
	}
}

// TestNoneIsCutThatFits grows reports entry by entry past the limit: the first
// that is cut is the first that is too long.
func TestNoneIsCutThatFits(t *testing.T) {
	for _, description := range []string{"", "x", "xx", "<"} {
		var r tiers.Report
		length := len(`{"status":"Unhealthy","totalDurationMs":0,"entries":{`) + len(`}}`) - 1
		for i := 0; ; i++ {
			e := tiers.Entry{Name: fmt.Sprintf("%08d", i), Status: check.Healthy, Description: description}
			shown := map[string]int{"": 4, "x": 3, "xx": 4, "<": 8}[description]
			length += len(`"00000000":{"status":"Healthy","description":,"durationMs":0},`) + shown
			r.Entries = append(r.Entries, e)
			if length < bodyLimit-200 {
				continue
			}
			raw, err := r.AppendJSON(nil)
			must(t, err)
			if length > bodyLimit {
				if len(raw) > bodyLimit {
					t.Errorf("%q: %d bytes", description, len(raw))
				}
				break
			}
			if len(raw) != length {
				t.Errorf("%q: %d entries make %d bytes, want %d", description, i+1, len(raw), length)
			}
		}
	}
}

// TestHugeDataCostsABody gives each kind of data that is far longer than a body
// and wants it given up for about the price of a body, which is far less than
// the bound and than what encoding all of it would take.
func TestHugeDataCostsABody(t *testing.T) {
	const n = 2_000_000
	numbers := make(map[int]int, n)
	keys := make(map[string]any, n)
	for i := range n {
		numbers[i] = i
		keys[fmt.Sprint(i)] = i
	}
	type pair struct{ A, B int }
	for name, value := range map[string]any{
		"text":          strings.Repeat("<", 10<<20),
		"named text":    json.Number(strings.Repeat("1", 10<<20)),
		"texts":         []string{"a", strings.Repeat("<", 10<<20)},
		"a long key":    map[string]any{strings.Repeat("<", 10<<20): 1},
		"map":           numbers,
		"map of any":    keys,
		"list":          make([]int, n),
		"list of pairs": make([]pair, n),
		"bytes":         make([]byte, 10<<20),
		"array":         &[n]int8{},
	} {
		r := tiers.Report{Tier: tiers.Ready, Entries: []tiers.Entry{
			{Name: "a", Data: map[string]any{"huge": value}}, {Name: "b", Data: map[string]any{"n": 1}},
		}}
		var raw string
		var b body
		const most = 200 * time.Millisecond
		took := time.Hour
		for range 10 { // the quickest counts: others share the machine
			began := time.Now()
			raw, b = written(t, r)
			if took = min(took, time.Since(began)); took <= most {
				break
			}
		}
		if took > most {
			t.Errorf("%s: took %v", name, took)
		}
		if b.Entries["a"].Data["truncated"] != true || b.Entries["b"].Data["n"] != 1.0 {
			t.Errorf("%s: %.300s", name, raw)
		}
	}
}

// TestDataThatFitsIsWhole has data of which most is left out by its tags, and
// data of just under a body: neither may be taken for too long before it is
// encoded.
func TestDataThatFitsIsWhole(t *testing.T) {
	type Inner struct {
		J, K []int          `json:",omitempty"`
		L    map[string]int `json:",omitempty"`
	}
	type sparse struct {
		A, B, C, D, E, F, G, H int    `json:",omitempty"`
		I                      [9]int `json:",omitzero"`
		Inner
	}
	list := make([]sparse, 20_000) // "{}," each
	for i := range list {
		list[i].J = []int{}
	}
	for name, value := range map[string]any{
		"fields left out": list,
		"numbers":         make([]int8, 32_000),
		"texts":           make([]json.Number, 32_000),
		"a text":          strings.Repeat("x", 65_000),
		"a map":           map[string]int8{"": 1, strings.Repeat("y", 65_000): 2},
		"no texts":        [][]string{make([]string, 21_000)},
		"pairs":           make([]map[int]struct{}, 13_000),
	} {
		_, b := written(t, tiers.Report{Tier: tiers.Ready, Entries: []tiers.Entry{{Name: "a", Data: map[string]any{"v": value}}}})
		if b.Entries["a"].Data["v"] == nil {
			t.Errorf("%s is cut: %.100v", name, b.Entries["a"].Data)
		}
	}
}
