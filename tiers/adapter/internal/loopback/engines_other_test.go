//go:build !linux

package loopback

var engines = map[string]func(*service) (engine, error){"net": newNetEngine}
