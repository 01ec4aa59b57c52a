//go:build !linux && !darwin && !windows

package cluster

func bootTime() (now Instant, ok bool) { return 0, false }
