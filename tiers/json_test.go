package tiers_test

import (
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers"
)

// encode writes one entry's data and returns what a client reads of it; nil is
// an entry without data.
func encode(t testing.TB, data map[string]any) map[string]any {
	t.Helper()
	raw, err := tiers.Report{Status: check.Healthy, Entries: []tiers.Entry{{Name: "c", Status: check.Healthy, Data: data}}}.AppendJSON(nil)
	must(t, err)
	return read(t, raw).Entries["c"].Data
}

// appender writes itself.
type appender func(dst []byte) ([]byte, error)

func (f appender) AppendJSON(dst []byte) ([]byte, error) { return f(dst) }

// marshaler is encoded by encoding/json.
type marshaler func() ([]byte, error)

func (f marshaler) MarshalJSON() ([]byte, error) { return f() }

func text(s string) appender {
	return func(dst []byte) ([]byte, error) { return append(dst, s...), nil }
}

// TestDataAsEncodingJSON compares values with what encoding/json makes of
// them.
func TestDataAsEncodingJSON(t *testing.T) {
	type named string
	for _, v := range []any{
		nil, true, false, "", "text", "\xff", named("n"), 0, -1, int8(-8), int16(16), int32(32), int64(math.MinInt64), uint(1), uint8(8), uint16(16),
		uint32(math.MaxUint32), uint64(math.MaxUint64), float32(0.1), 0.1, 1e21, 1e-7,
		[]string{"a"},
		[]string{},
		[]string(nil),
		[]int{1},
		[]float64{0.5},
		[]any{1, "a", nil, []any{}},
		[]any(nil),
		map[string]any{},
		map[string]any(nil),
		map[string]any{"b": 1, "a": map[string]any{"c": 2}},
		map[string]string{"b": "1", "a": "2"},
		map[int]string{2: "b", 1: "a"},
		[]byte("bytes"),
		[2]int{1, 2},
		struct{ A, B int }{1, 2},
		&struct{ A *int }{},
		time.Unix(0, 0).UTC(), json.Number("12.50"), json.RawMessage(`{"a":[1,2]}`),
		complexKey{"a", 1},
		errNumber(3),
	} {
		got, err := tiers.Report{Entries: []tiers.Entry{{Name: "c", Data: map[string]any{"v": v}}}}.AppendJSON(nil)
		must(t, err)
		raw, err := json.Marshal(v)
		must(t, err)
		if want := `"data":{"v":` + string(raw) + `}`; !strings.Contains(string(got), want) {
			t.Errorf("%T: %s, want %s", v, got, want)
		}
	}
}

type complexKey struct {
	Name string `json:"name"`
	N    int    `json:"n,omitempty"`
}

type errNumber int

// TestDataByDesign holds the values that are written in a way of our own.
func TestDataByDesign(t *testing.T) {
	for name, c := range map[string]struct{ value, want any }{
		"NaN":                {math.NaN(), nil},
		"+Inf":               {math.Inf(1), nil},
		"-Inf, 32 bits":      {float32(math.Inf(-1)), nil},
		"NaN in a list":      {[]float64{1, math.NaN()}, []any{1.0, nil}},
		"NaN deep down":      {map[string]any{"x": []any{math.NaN(), 2}}, map[string]any{"x": []any{nil, 2.0}}},
		"a duration":         {1500 * time.Millisecond, "1.5s"},
		"what writes itself": {text(`[1, {"a":"<"}]`), []any{1.0, map[string]any{"a": "<"}}},
	} {
		got := encode(t, map[string]any{"v": c.value, "w": 1})
		if diff := cmp.Diff(map[string]any{"v": c.want, "w": 1.0}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMarkupStaysText escapes what a page could run, also in what writes itself.
func TestMarkupStaysText(t *testing.T) {
	const markup = "<script>alert('&')</script>\u2028"
	raw, err := tiers.Report{Entries: []tiers.Entry{{
		Name: markup, Description: markup,
		Data: map[string]any{
			markup: markup, "a": []string{markup}, "b": text(`{"` + markup + `":"` + markup + `"}`), "c": json.RawMessage(`"` + markup + `"`), "d": struct{ X string }{markup},
		},
	}}}.AppendJSON(nil)
	must(t, err)
	if strings.ContainsAny(string(raw), "<>&\u2028") {
		t.Errorf("markup in %s", raw)
	}
	if e, ok := read(t, raw).Entries[markup]; !ok || *e.Description != markup || e.Data[markup] != markup || e.Data["c"] != markup {
		t.Errorf("what was written does not read back: %s", raw)
	}
}

// hostile are values that cannot be encoded, or whose code misbehaves.
func hostile() map[string]any {
	self := map[string]any{}
	self["a"], self["b"] = self, self
	list := make([]any, 2)
	list[0], list[1] = list, list
	deep := any(1)
	for range 1000 {
		deep = []any{deep}
	}
	type link struct{ Next *link }
	ring := &link{}
	ring.Next = ring
	return map[string]any{
		"a function":           func() {},
		"a channel":            make(chan int),
		"a complex number":     1i,
		"NaN in a struct":      struct{ F float64 }{math.NaN()},
		"a ring":               ring,
		"an error":             errors.New(canary),
		"a nil writer":         appender(nil),
		"a nil pointer writer": (*pointerAppender)(nil),
		"panics":               appender(func([]byte) ([]byte, error) { panic(canary) }),
		"panics with nil":      appender(func([]byte) ([]byte, error) { panic(nil) }), //nolint:govet // on purpose
		"ends its goroutine":   appender(func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil }),
		"fails":                appender(func(dst []byte) ([]byte, error) { return append(dst, `"`+canary+`"`...), errors.New(canary) }),
		"writes nothing":       appender(func([]byte) ([]byte, error) { return nil, nil }),
		"writes no JSON":       text(`oops`),
		"breaks out":           text(`1},"forged":{"status":"Healthy"`),
		"writes two values":    text(`1 2`),
		"writes half":          text(`{"a":`),
		"repeats a key":        text(`{"a":1,"a":2}`),
		"is not UTF-8":         text("\"\xff\""),
		"nests too deep":       text(strings.Repeat("[", 1<<20)),
		"marshals a panic":     marshaler(func() ([]byte, error) { panic(errors.New(canary)) }),
		"marshals Goexit":      marshaler(func() ([]byte, error) { runtime.Goexit(); return nil, nil }),
		"marshals an error":    marshaler(func() ([]byte, error) { return nil, errors.New(canary) }),
		"marshals no JSON":     marshaler(func() ([]byte, error) { return []byte(`{]`), nil }),
		"raw, repeats a key":   json.RawMessage(`{"a":1,"a":2}`),
		"raw, not UTF-8":       json.RawMessage("\"\xff\""),
		"keys become one":      map[string]int{"\xff": 1, "\xfe": 2},
		"text panics":          map[textPanics]int{{}: 1},
		"one of itself":        self,
		"a list of itself":     list,
		"deep":                 deep,
	}
}

const canary = "hunter2-canary"

type pointerAppender struct{ n int }

func (p *pointerAppender) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, byte('0'+p.n)), nil
}

type textPanics struct{}

func (textPanics) MarshalText() ([]byte, error) { panic(canary) }

// TestCase112HostileValues puts each hostile value between two good ones. The
// body is complete and valid, its status is the check's, the good values are
// there, and nothing else (CASE-112).
func TestCase112HostileValues(t *testing.T) {
	grows := map[string]bool{"one of itself": true, "a list of itself": true, "deep": true} // kept as far as they go, or cut
	for name, value := range hostile() {
		t.Run(name, func(t *testing.T) {
			s := tiers.New()
			must(t, s.AddReady("bad", always(check.Result{Status: check.Healthy, Data: map[string]any{"a": 1, "m": value, "z": "last"}})))
			must(t, s.AddReady("only", always(check.Result{Status: check.Healthy, Data: map[string]any{"m": value}})))
			must(t, s.AddReady("good", always(check.Result{Status: check.Healthy, Data: map[string]any{"nan": math.NaN(), "inf": math.Inf(1)}})))
			rec := probe(mounted(t, s), "GET", "/health/ready")
			b := want(t, rec, 200, "Healthy")
			if strings.Contains(rec.Body.String(), canary) {
				t.Errorf("the body tells what the code said: %s", rec.Body)
			}
			if diff := cmp.Diff(map[string]any{"nan": nil, "inf": nil}, b.Entries["good"].Data); diff != "" || len(b.Entries) != 3 {
				t.Errorf("entries %v: %s", b.Entries, diff)
			}
			if grows[name] {
				return
			}
			if diff := cmp.Diff(map[string]any{"a": 1.0, "z": "last"}, b.Entries["bad"].Data); diff != "" {
				t.Error(diff)
			}
			if b.Entries["only"].Data != nil {
				t.Errorf("data of which nothing was left: %v", b.Entries["only"].Data)
			}
		})
	}
}

// TestDataKeysThatBecomeOne writes keys that are not UTF-8.
func TestDataKeysThatBecomeOne(t *testing.T) {
	got := encode(t, map[string]any{"\xff": 1, "\xfe": 2, "\x80": 3, "é": 4, "\ufffd": 5, "a\xff": 6, "a\xfe": 7})
	if diff := cmp.Diff(map[string]any{"\ufffd": 3.0, "é": 4.0, "a\ufffd": 7.0}, got); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyData is left out (X10).
func TestEmptyData(t *testing.T) {
	for _, data := range []map[string]any{nil, {}} {
		raw, err := tiers.Report{Entries: []tiers.Entry{{Name: "c", Data: data}}}.AppendJSON(nil)
		must(t, err)
		if strings.Contains(string(raw), "data") {
			t.Errorf("%s", raw)
		}
	}
}

// TestReportsMadeByHand writes what Evaluate would never return: entries out of
// order, names twice and not UTF-8, statuses and numbers that are not.
func TestReportsMadeByHand(t *testing.T) {
	entries := []tiers.Entry{
		{Name: "z", Status: check.Healthy},
		{Name: "b", Status: check.Healthy, Description: "better"},
		{Name: "b", Status: check.Unhealthy, Description: "worse"},
		{Name: "\xff", Status: check.Degraded},
		{Name: "\xfe", Status: unknownStatus},
		{Name: "a", Status: unknownStatus, Duration: -1},
	}
	before := append([]tiers.Entry(nil), entries...)
	raw, err := tiers.Report{Status: unknownStatus, Total: -time.Hour, Truncated: -5, Entries: entries}.AppendJSON([]byte("before"))
	must(t, err)
	const want = `before{"status":"Unhealthy","totalDurationMs":0,"entries":{` +
		`"a":{"status":"Unhealthy","description":null,"durationMs":0},` +
		`"b":{"status":"Unhealthy","description":"worse","durationMs":0},` +
		`"z":{"status":"Healthy","description":null,"durationMs":0},` +
		`"\ufffd":{"status":"Unhealthy","description":null,"durationMs":0}}}`
	if diff := cmp.Diff(strings.ReplaceAll(want, `\ufffd`, "\ufffd"), string(raw)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, entries); diff != "" {
		t.Errorf("the caller's entries have changed: %s", diff)
	}
}
