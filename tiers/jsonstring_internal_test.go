package tiers

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"
)

// marshal is what encoding/json writes.
func marshal(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// FuzzAppendString compares with encoding/json, byte for byte.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{
		"", "plain", `quote " and \ back`, "<script>alert('&')</script>", "\x00\x01\b\f\n\r\t\x1f\x7f",
		"\u2028\u2029\u2027\u202a", "\xff", "a\xc3", "\xed\xa0\x80", "\xe2\x80", "é漢🎈", "\ufffd", "\xf0\x9f\x8e",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(appendString([]byte("x"), s)), "x"+marshal(t, s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	})
}

// FuzzAppendFloat compares with encoding/json; what it refuses is null.
func FuzzAppendFloat(f *testing.F) {
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1.5, 0.1, 1e-6, 9.99e-7, 1e-9, -1e-10, 1e20, 1e21, 1e100, math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.MaxFloat32, math.SmallestNonzeroFloat32, math.NaN(), math.Inf(1), math.Inf(-1),
	} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		want := "null"
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			want = marshal(t, v)
		}
		if got := string(appendFloat(nil, v, 64)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
		want = "null"
		if v := float64(float32(v)); !math.IsNaN(v) && !math.IsInf(v, 0) {
			want = marshal(t, float32(v))
		}
		if got := string(appendFloat(nil, float64(float32(v)), 32)); got != want {
			t.Errorf("float32 %v: %s, want %s", v, got, want)
		}
	})
}

// TestMillis keeps the fraction exactly (S1.41, X11).
func TestMillis(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                 "0",
		-time.Second:                      "0",
		math.MinInt64:                     "0",
		1:                                 "0.000001",
		10:                                "0.00001",
		100 * time.Microsecond:            "0.1",
		999_999:                           "0.999999",
		time.Millisecond:                  "1",
		time.Millisecond + 1:              "1.000001",
		12 * time.Millisecond:             "12",
		1500 * time.Microsecond:           "1.5",
		time.Second + 20*time.Microsecond: "1000.02",
		math.MaxInt64:                     "9223372036854.775807",
	} {
		got := string(appendMillis(nil, d))
		if got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
		if back, err := strconv.ParseFloat(got, 64); err != nil || d > 0 && d < time.Hour && math.Abs(back-float64(d)/1e6) > 1e-9 {
			t.Errorf("%d: reads back as %v, %v", d, back, err)
		}
	}
}
