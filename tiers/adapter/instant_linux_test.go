package adapter

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestClockIsNotTheCalendars compares readings with the clock that goes on while the
// host sleeps (X27).
func TestClockIsNotTheCalendars(t *testing.T) {
	var before, after unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &before); err != nil {
		t.Fatal(err)
	}
	got := now()
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &after); err != nil {
		t.Fatal(err)
	}
	if got < instant(before.Nano()) || got > instant(after.Nano()) {
		t.Errorf("%v is not from %v to %v", time.Duration(got), time.Duration(before.Nano()), time.Duration(after.Nano()))
	}
}

// TestGoClock is what a sandbox gets that forbids the other one.
func TestGoClock(t *testing.T) {
	first := goClock()
	if second := goClock(); first < 0 || second < first || time.Duration(second) > time.Since(processStart) {
		t.Errorf("%v, then %v", time.Duration(first), time.Duration(second))
	}
}
