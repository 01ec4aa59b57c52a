//go:build linux

package bench

import (
	"testing"
	"time"
)

// patiently takes a measurement until it says what it should, and fails when it
// never does. A machine that is busy with something else spoils a figure, or a
// few in a row; a broken harness spoils all of them. The race detector makes all
// operations dearer and so evens ratios out: bounds leave room for that.
func patiently(t *testing.T, measure func() error) {
	t.Helper()
	const tries, longest = 25, 500 * time.Millisecond
	var err error
	for try, pause := 1, 5*time.Millisecond; try <= tries; try, pause = try+1, min(2*pause, longest) {
		if err = measure(); err == nil {
			return
		}
		time.Sleep(pause)
	}
	t.Errorf("%v, after %d tries", err, tries)
}
