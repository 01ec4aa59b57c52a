package resubscribe

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestConfigRefusals wants the field, the value and the bound in each error, and tries
// each bound at it and one step past.
func TestConfigRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		want   string // empty: accepted
	}{
		{"only a key", Config{Key: "a"}, ""},
		{"no key", Config{}, `key "": must not be empty`},
		{"a key of 64 bytes", Config{Key: strings.Repeat("k", 64)}, ""},
		{"a key of 65 bytes", Config{Key: strings.Repeat("k", 65)}, "key of 65 bytes: must be at most 64"},
		{"a key of two lines", Config{Key: "a\nb"}, `key "a\nb": must not contain U+000A`},
		{"a key that is no text", Config{Key: "a\xff"}, `key "a\xff": must be valid UTF-8`},

		{"the shortest floor", Config{Key: "a", Floor: time.Millisecond}, ""},
		{"a floor one step shorter", Config{Key: "a", Floor: time.Millisecond - 1}, "floor 999.999µs: must be at least 1ms"},
		{"a negative floor", Config{Key: "a", Floor: -1}, "floor -1ns: must be at least 1ms"},
		{"a floor at the default max", Config{Key: "a", Floor: time.Minute}, ""},
		{"a floor above the default max", Config{Key: "a", Floor: time.Minute + 1}, "max 1m0s: must be at least the floor 1m0.000000001s"},
		{"a max at the floor", Config{Key: "a", Max: 5 * time.Second}, ""},
		{"a max below the floor", Config{Key: "a", Max: 5*time.Second - 1}, "max 4.999999999s: must be at least the floor 5s"},
		{"a negative max", Config{Key: "a", Max: -1}, "max -1ns: must be at least the floor 5s"},
		{"the longest times", Config{Key: "a", Floor: Never, Max: Never, Ceiling: Never}, ""},

		{"the shortest ceiling", Config{Key: "a", Ceiling: time.Millisecond}, ""},
		{"a ceiling one step shorter", Config{Key: "a", Ceiling: time.Millisecond - 1}, "ceiling 999.999µs: must be at least 1ms"},
		{"a negative ceiling", Config{Key: "a", Ceiling: -1}, "ceiling -1ns: must be at least 1ms"},

		{"the least jitter", Config{Key: "a", Jitter: math.SmallestNonzeroFloat64}, ""},
		{"a negative jitter", Config{Key: "a", Jitter: -0.1}, "jitter -0.1: must be above 0 and at most 1"},
		{"the most jitter", Config{Key: "a", Jitter: 1}, ""},
		{"more jitter", Config{Key: "a", Jitter: math.Nextafter(1, 2)}, "jitter 1.0000000000000002: must be above 0 and at most 1"},
		{"a jitter that is no number", Config{Key: "a", Jitter: math.NaN()}, "jitter NaN: must be above 0 and at most 1"},
		{"an infinite jitter", Config{Key: "a", Jitter: math.Inf(1)}, "jitter +Inf: must be above 0 and at most 1"},
		{"no jitter", Config{Key: "a", NoJitter: true}, ""},
		{"jitter and no jitter", Config{Key: "a", Jitter: 0.1, NoJitter: true}, "jitter 0.1: must not be set together with NoJitter"},
		{"NaN and no jitter", Config{Key: "a", Jitter: math.NaN(), NoJitter: true}, "jitter NaN: must be above 0 and at most 1"},

		{"degraded after one", Config{Key: "a", DegradedAfter: 1}, ""},
		{"degraded after less than none", Config{Key: "a", DegradedAfter: -1}, "degraded after -1: must be at least 1 presumed loss, or 0 for never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := New(c.config)
			switch {
			case c.want == "" && (err != nil || g == nil):
				t.Errorf("New = %v, %v, want a guard", g, err)
			case c.want != "" && (err == nil || g != nil):
				t.Errorf("New = %v, %v, want an error", g, err)
			case c.want != "" && !strings.HasPrefix(err.Error(), "resubscribe: "+c.want):
				t.Errorf("err = %q, want resubscribe: %s", err, c.want)
			}
		})
	}
}

// TestConfigDefaults are those of the requirements (S3.4, S3.7, X21, X30).
func TestConfigDefaults(t *testing.T) {
	got, err := Config{Key: "a"}.settle()
	want := Config{Key: "a", Floor: 5 * time.Second, Max: time.Minute, Ceiling: 45 * time.Second, Jitter: 0.2}
	if err != nil || got != want {
		t.Errorf("settle = %+v, %v, want %+v", got, err, want)
	}
	exact, err := Config{Key: "a", NoJitter: true}.settle()
	if err != nil || exact.Jitter != 0 {
		t.Errorf("settle without jitter = %+v, %v, want none", exact, err)
	}
}

// TestBackoffValidates says the same alone.
func TestBackoffValidates(t *testing.T) {
	if err := (Backoff{}).Validate(); err != nil {
		t.Errorf("the zero Backoff: %v, want no error", err)
	}
	if err := (Backoff{Jitter: -1}).Validate(); err == nil || !strings.Contains(err.Error(), "jitter -1: must be") {
		t.Errorf("a negative jitter: %v, want its field, value and bound", err)
	}
}

// FuzzConfig wants an error or a guard that works: bounds that hold, an attempt at once,
// no other one beside it, and a wait that is no hot loop.
func FuzzConfig(f *testing.F) {
	f.Add("a", int64(0), int64(0), int64(0), 0.0, false, 0)
	f.Add("gateway", int64(10*time.Second), int64(5*time.Minute), int64(time.Second), 0.5, false, 3)
	f.Add("", int64(-1), int64(math.MaxInt64), int64(math.MinInt64), math.NaN(), true, -1)
	f.Add("a\x00", int64(1), int64(1), int64(1), math.Inf(-1), false, 1)
	f.Add("a", int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), 1.0, false, 1)
	f.Fuzz(func(t *testing.T, key string, floor, longest, ceiling int64, jitter float64, none bool, degraded int) {
		c := Config{
			Key: key, Floor: time.Duration(floor), Max: time.Duration(longest), Ceiling: time.Duration(ceiling),
			Jitter: jitter, NoJitter: none, DegradedAfter: degraded,
		}
		g, err := New(c)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "resubscribe: ") || !strings.Contains(err.Error(), "must") {
				t.Errorf("err = %q, want the package and the bound", err)
			}
			return
		}
		s := g.config
		if s.Floor < time.Millisecond || s.Max < s.Floor || s.Ceiling < time.Millisecond || !(s.Jitter >= 0 && s.Jitter <= 1) {
			t.Errorf("accepted %+v", s)
		}
		synctest.Test(t, func(t *testing.T) {
			a, wait, ok := g.Begin()
			if !ok || wait <= 0 || wait > s.Max || wait > s.Ceiling {
				t.Fatalf("the first Begin = %v, %v, want an attempt and a wait", wait, ok)
			}
			if _, _, again := g.Begin(); again {
				t.Error("two attempts at the same time")
			}
			if !g.Fail(a.ID, nil) || g.Fail(a.ID, nil) {
				t.Error("a failure must count once")
			}
			if in := g.State().NextIn; in < s.Floor || in > s.Max {
				t.Errorf("the next is in %v, want %v to %v", in, s.Floor, s.Max)
			}
		})
	})
}
