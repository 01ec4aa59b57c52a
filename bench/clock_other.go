//go:build !linux

package bench

import (
	"errors"
	"time"
)

// errPlatform is why no gate can be measured here.
var errPlatform = errors.New("bench: the gates need Linux's CPU clocks and thread affinity")

// started is where the stand-in clock counts from.
var started = time.Now()

// processCPU and threadCPU give wall time, good enough to try a case by hand;
// the gates refuse to run (see cpus).
func processCPU() time.Duration { return time.Since(started) }
func threadCPU() time.Duration  { return time.Since(started) }

func cpus() ([]int, error) { return nil, errPlatform }
func pin(int) error        { return errPlatform }
