//go:build linux

package bench

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// Every gate that is quick and needs no CPU for itself is taken once. The
// figures mean nothing here; that there is one does.
func TestGatesMeasure(t *testing.T) {
	elsewhere := map[string]bool{"P11": true, "P12": true, "P13": true, "P24": true, "P25": true, "P26": true}
	for _, g := range Gates() {
		if elsewhere[g.ID] || strings.Contains(g.Name, "100k") || strings.HasSuffix(g.Name, "handler, 10k") {
			continue
		}
		// Patiently, because allocations are counted in the whole process.
		patiently(t, func() error {
			f, err := g.Measure(Settings{Rounds: 1, Burst: 50 * time.Microsecond})
			switch {
			case err != nil:
				return fmt.Errorf("%s %s: %w", g.ID, g.Name, err)
			case !(f.Value > 0) || !(f.Case > 0) || !(f.Base > 0):
				return fmt.Errorf("%s %s: %v, want figures above zero", g.ID, g.Name, f)
			case g.NoAllocs && f.Allocs != 0:
				return fmt.Errorf("%s %s: %v allocations", g.ID, g.Name, f.Allocs)
			}
			return nil
		})
	}
}

func TestBytesPerProcessor(t *testing.T) {
	// Patiently, because what else the process drops meanwhile is subtracted.
	patiently(t, func() error {
		f, err := bytesPerProcessor(20_000)(Settings{})
		if err != nil || f.Value < 128 || f.Value > 450 {
			return fmt.Errorf("%.0f bytes, error %v; want a record of 128 bytes at least, and 450 at most", f.Value, err)
		}
		return nil
	})
}

func TestSameJSON(t *testing.T) {
	report, tree := answers(1000)
	if err := sameJSON(report, tree); err != nil {
		t.Error(err)
	}
	report.Entries[500].Status = check.Degraded
	if err := sameJSON(report, tree); err == nil {
		t.Error("answers that differ in one entry count as the same")
	}
	report, tree = answers(2000) // Too long for the canonical body, which drops some.
	if err := sameJSON(report, tree); err == nil {
		t.Error("an answer with entries left out counts as the same")
	}
}

func TestServeHeapAnswersEachLine(t *testing.T) {
	built := false
	var answers strings.Builder
	err := serveHeap(func() any { built = true; return make([]byte, 1<<20) },
		strings.NewReader("collect\ncollect\n"), &answers)
	if err != nil || !built {
		t.Fatalf("error %v, built %v", err, built)
	}
	lines := strings.Fields(answers.String())
	if len(lines) != 2 || strings.HasPrefix(lines[0], "-") || lines[0] == "0" {
		t.Errorf("answers %q, want two CPU times", answers.String())
	}
}

func TestServeHeapIsForHolders(t *testing.T) {
	if served, err := ServeHeap(strings.NewReader(""), io.Discard); served || err != nil {
		t.Errorf("served %v, %v in an ordinary process", served, err)
	}
	t.Setenv(heapVariable, "tree")
	if served, err := ServeHeap(strings.NewReader(""), io.Discard); !served || err == nil {
		t.Errorf("served %v, %v for a heap that does not exist", served, err)
	}
}

// What is dropped between rounds must be gone, or it would be counted.
func TestLiveHeapCountsWhatIsKept(t *testing.T) {
	patiently(t, func() error {
		before := liveHeap()
		kept := make([]byte, 8<<20)
		after := liveHeap()
		runtime.KeepAlive(kept)
		if grown := int64(after) - int64(before); grown < 8<<20 || grown > 9<<20 {
			return fmt.Errorf("%d bytes for 8 MiB kept", grown)
		}
		return nil
	})
}

// Both watchers look, and neither complains, on a board that the test can afford.
func TestWatchersWatch(t *testing.T) {
	patiently(t, func() error {
		f, err := watching(500)(Settings{Rounds: 1})
		if err != nil || !(f.Case > 0) || !(f.Base > 0) {
			return fmt.Errorf("%v, error %v; want CPU time on either side", f, err)
		}
		return nil
	})
}
