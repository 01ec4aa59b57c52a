//go:build !linux

package child

type engine = portable

func newEngine(c Config) (*engine, error) { return newPortable(c) }
