package loopback

import (
	"testing"
	"time"
)

// TestMemoryUnderFlood is fault 38: 50 clients that flood and come back at once.
func TestMemoryUnderFlood(t *testing.T) {
	p := newHelper(t, "host", "many")
	defer p.end()
	addr := p.ask("listen")
	if err := probe(addr, "503"); err != nil {
		t.Fatal(err)
	}
	before := p.usage(t)
	crowd := newHelper(t, "hostile", addr, "all", "50", "0s")
	defer crowd.end()
	enough := uint64(1500)
	if soak {
		enough = 20_000
	}
	began := time.Now()
	var after usage
	await(t, "enough connections", func() bool {
		time.Sleep(50 * time.Millisecond)
		after = p.usage(t)
		return after.Counters.Accepted > enough
	})
	t.Logf("%d connections in %v: peak RSS %d KiB (%d before), heap %d KiB (%d before), %v of CPU time; %+v",
		after.Counters.Accepted, time.Since(began).Round(time.Millisecond), after.PeakKiB, before.PeakKiB, after.HeapKiB, before.HeapKiB,
		time.Duration(after.CPUMicros-before.CPUMicros)*time.Microsecond, after.Counters)
	if limit := 16 << 10; after.PeakKiB == 0 || after.PeakKiB > limit && !raced {
		t.Errorf("peak RSS %d KiB, want %d at most", after.PeakKiB, limit)
	}
	if after.HeapKiB > before.HeapKiB+4<<10 {
		t.Errorf("the heap grew from %d to %d KiB", before.HeapKiB, after.HeapKiB)
	}
}
