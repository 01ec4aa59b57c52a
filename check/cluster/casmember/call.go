package casmember

import (
	"context"
	"fmt"
)

// contain runs a call of the engine. One that panics may have done anything
// before, so its outcome is not known.
func contain(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("casmember: the engine's driver panicked: %v", p)
		}
	}()
	return call()
}

// bounded runs a call of the engine with the time that one may take.
func (n *Node) bounded(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, n.config.heartbeat())
	defer cancel()
	return contain(func() error { return call(ctx) })
}
