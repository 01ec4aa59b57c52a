//go:build !linux

package loopback

func newEngine(s *service) (engine, error) { return newNetEngine(s) }
