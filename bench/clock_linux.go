package bench

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// processCPU is the CPU time of the whole process, the collector included.
func processCPU() time.Duration { return cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadCPU is the CPU time of the calling thread; it means something only
// between two calls under runtime.LockOSThread.
func threadCPU() time.Duration { return cpuClock(unix.CLOCK_THREAD_CPUTIME_ID) }

// cpuClock panics where the kernel refuses: the two clocks exist on every
// Linux, and a measurement without a clock is worth nothing.
func cpuClock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		panic(fmt.Sprintf("bench: CPU clock %d: %v", id, err))
	}
	return time.Duration(ts.Nano())
}

// cpus lists the CPUs this process may use: a container is often given fewer
// than the machine has.
func cpus() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("bench: affinity: %w", err)
	}
	var list []int
	for cpu := 0; len(list) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list, nil
}

// pin binds the calling thread to one CPU. The caller holds it with
// runtime.LockOSThread and never gives it back, so that the thread ends with
// its goroutine and the binding does not leak into the scheduler's pool.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("bench: pin to CPU %d: %w", cpu, err)
	}
	return nil
}
