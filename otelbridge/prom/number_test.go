package prom

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
	"github.com/loopvitals/loopvitals/otelbridge/internal/reading"
)

// TestAppendSeconds: every digit that matters, and no other.
func TestAppendSeconds(t *testing.T) {
	for ns, want := range map[int64]string{
		0:                             "0",
		1:                             "0.000000001",
		-1:                            "-0.000000001",
		999_999_999:                   "0.999999999",
		1_000_000_000:                 "1",
		1_000_000_001:                 "1.000000001",
		-1_500_000_000:                "-1.5",
		100_000_000:                   "0.1",
		10 * 1_000_000_000:            "10",
		1_795_996_800_123_456_789:     "1795996800.123456789",
		math.MaxInt64:                 "9223372036.854775807",
		math.MinInt64:                 "-9223372036.854775808",
		int64(90 * time.Second):       "90",
		int64(250 * time.Millisecond): "0.25",
	} {
		if got := string(appendSeconds([]byte("x "), ns)); got != "x "+want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
}

// TestAppendSecondsIsSeconds: read back it is the number that the other exporters
// tell, for every age of up to a hundred days, and never farther from it than one
// step of a float.
func TestAppendSecondsIsSeconds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		ns := random.Int64() >> random.IntN(63)
		got, err := strconv.ParseFloat(string(appendSeconds(nil, ns)), 64)
		want := reading.Seconds(time.Duration(ns))
		far := got != want && got != math.Nextafter(want, math.Inf(1)) && got != math.Nextafter(want, 0)
		if err != nil || far || ns < 1<<53 && got != want {
			t.Fatalf("%d ns: %v, %v; want %v", ns, got, err, want)
		}
	}
}

// TestAppendValue takes only metrics of seconds for nanoseconds.
func TestAppendValue(t *testing.T) {
	for kind, want := range map[catalogue.Kind]string{
		catalogue.State: "1500000000", catalogue.Gauge: "1500000000", catalogue.Counter: "1500000000",
		catalogue.Seconds: "1.5", catalogue.Histogram: "1.5",
	} {
		if got := string(appendValue(nil, kind, 1_500_000_000)); got != want {
			t.Errorf("kind %d: %s, want %s", kind, got, want)
		}
	}
}
