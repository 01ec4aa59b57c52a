package cluster

import (
	"context"
	"errors"
	"fmt"
)

// ErrNotActive is the error of work that was not let in, and the cause of the
// contexts of work that was, once the tenure has ended. It comes wrapped with the
// reason, and with the active node where that is known.
var ErrNotActive = errors.New("cluster: not active")

// errTenureEnded is the cause of the contexts of work that outlasted the tenure.
var errTenureEnded = fmt.Errorf("%w: the tenure has ended", ErrNotActive)

// notActive is the error of work that was refused.
func notActive(d Decision) error {
	if d.Holder.Address == "" {
		return fmt.Errorf("%w: %v", ErrNotActive, d.Reason)
	}
	return fmt.Errorf("%w: %v: %s is", ErrNotActive, d.Reason, d.Holder.Address)
}

// refused is what a refused caller gets. The context has ended, so that one who
// overlooks the error does not work either.
func refused(ctx context.Context, err error) (context.Context, func(), error) {
	ended, cancel := context.WithCancelCause(orBackground(ctx))
	cancel(err)
	return ended, func() {}, err
}

// orBackground keeps a nil context, a mistake that only shows at run time, from
// ending in a panic there.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background() //nolint:forbidigo // nil is a caller without an end
	}
	return ctx
}
