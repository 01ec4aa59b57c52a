package adapter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRequestsStartNoCommand asks over HTTP all the time and at every endpoint, and
// reads from the commands' own diary when they were there: however often it is asked,
// each begins a whole pause after the one before it has ended, and each is a sample
// (S2.10, S2.14). Both hold whatever the machine does meanwhile.
func TestRequestsStartNoCommand(t *testing.T) {
	t.Parallel() // it mostly waits
	s := newStage(t, mode{Does: "diary"})
	a := runAdapter(t, realConfig(t, s.environment("command"))) // with the longest pause
	address := a.Addr().String()
	yes, no, most, inPause := 0, 0, 0, 0
	var began, ended []instant
	eventually(t, "300 answers, of which one is yes, and 4 commands", func() bool {
		for range 20 {
			samples := a.Usage().Samples
			for _, path := range paths {
				switch code, _ := code(address, path); code {
				case 200:
					yes++
				case 503:
					no++
				default:
					continue // this process came too late with its request
				}
				inPause++
			}
			if a.Usage().Samples != samples {
				inPause = 0
			}
			most = max(most, inPause)
		}
		began, ended = readDiary(s)
		return yes > 0 && yes+no >= 300 && len(began) >= 4
	})
	t.Logf("%d times yes and %d times no, at most %d between two samples; %d commands", yes, no, most, len(began))
	// Those in the diary have been started, and all but the last have ended.
	if samples := a.Usage().Samples; samples+1 < uint64(len(began)) {
		t.Errorf("%d commands for %d samples", len(began), samples)
	}
	for i := 1; i < len(began); i++ {
		if gap := time.Duration(began[i] - ended[i-1]); gap < maxPause {
			t.Errorf("command %d begins %v after the one before it", i, gap)
		}
	}
}

// readDiary returns when each command began and was about to end.
func readDiary(s *stage) (began, ended []instant) {
	text, _ := os.ReadFile(filepath.Join(s.dir, diaryFile))
	for line := range bytes.Lines(text) {
		var b, e int64
		if n, _ := fmt.Sscanf(string(line), "%d %d\n", &b, &e); n == 2 {
			began, ended = append(began, instant(b)), append(ended, instant(e))
		}
	}
	return began, ended
}
