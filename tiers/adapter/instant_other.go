//go:build !linux

package adapter

// now reads the clock of Go's timers. Where it stands still while the host
// sleeps, what was true before may be served for its maximum age afterwards.
func now() instant { return goClock() }
