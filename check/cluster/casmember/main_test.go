package casmember_test

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // thousands of schedules make much garbage and keep little
	goleak.VerifyTestMain(m)
}
