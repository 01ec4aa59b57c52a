package casmember_test

import (
	"context"
	"sync/atomic"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// direct is the engine with nothing between it and the node but a fault that a
// test sets: every call is answered at once.
type direct struct {
	*engine
	// fault, if it is there, comes before each operation, and an error of it
	// takes the operation's place.
	fault *atomic.Pointer[failure]
}

// failure is asked with the name of a method of casmember.KV, or "event" before
// one is told.
type failure func(ctx context.Context, op string) error

// open returns a way to the engine that has no fault yet.
func (e *engine) open() direct { return direct{engine: e, fault: new(atomic.Pointer[failure])} }

// set has the fault come before each operation from now on; nil ends it.
func (d direct) set(f failure) {
	if f == nil {
		d.fault.Store(nil)
		return
	}
	d.fault.Store(&f)
}

// cut is the fault of a network that loses everything.
func cut(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// only is a fault for some operations.
func only(f failure, ops ...string) failure {
	return func(ctx context.Context, op string) error {
		for _, each := range ops {
			if each == op {
				return f(ctx, op)
			}
		}
		return nil
	}
}

func (d direct) before(ctx context.Context, op string) error {
	if f := d.fault.Load(); f != nil {
		return (*f)(ctx, op)
	}
	return nil
}

func (d direct) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := d.before(ctx, "Create"); err != nil {
		return 0, err
	}
	return d.create(key, value)
}

func (d direct) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := d.before(ctx, "Update"); err != nil {
		return 0, err
	}
	return d.update(key, value, revision)
}

func (d direct) Delete(ctx context.Context, key string, revision uint64) error {
	if err := d.before(ctx, "Delete"); err != nil {
		return err
	}
	_, err := d.remove(key, revision)
	return err
}

func (d direct) Get(ctx context.Context, key string) (uint64, error) {
	if err := d.before(ctx, "Get"); err != nil {
		return 0, err
	}
	return d.get(key)
}

func (d direct) Watch(ctx context.Context, sink func(casmember.Event)) error {
	if err := d.before(ctx, "Watch"); err != nil {
		return err
	}
	revision, _ := d.revision()
	sink(casmember.Event{Kind: casmember.Reset})
	for _, e := range d.at(revision) {
		sink(e)
	}
	sink(casmember.Event{Kind: casmember.Synced})
	for {
		newest, more := d.revision()
		for ; revision < newest; revision++ {
			if err := d.before(ctx, "event"); err != nil {
				return err
			}
			e, _ := d.change(revision + 1)
			sink(e)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-more:
		}
	}
}
