package liveness

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain becomes a frozen process where a test has asked for one, and
// otherwise fails the run when a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	if child := os.Getenv(frozenChild); child != "" {
		os.Exit(runFrozenChild(child))
	}
	goleak.VerifyTestMain(m)
}
