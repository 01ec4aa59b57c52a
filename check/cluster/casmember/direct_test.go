package casmember_test

import (
	"context"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// direct is the engine without anything between it and the node: every call is
// answered at once.
type direct struct{ *engine }

func (d direct) Create(_ context.Context, key string, value []byte) (uint64, error) {
	return d.create(key, value)
}

func (d direct) Update(_ context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return d.update(key, value, revision)
}

func (d direct) Delete(_ context.Context, key string, revision uint64) error {
	_, err := d.remove(key, revision)
	return err
}

func (d direct) Get(_ context.Context, key string) (uint64, error) { return d.get(key) }

func (d direct) Watch(ctx context.Context, sink func(casmember.Event)) error {
	revision, _ := d.revision()
	sink(casmember.Event{Kind: casmember.Reset})
	for _, e := range d.at(revision) {
		sink(e)
	}
	sink(casmember.Event{Kind: casmember.Synced})
	for {
		newest, more := d.revision()
		for ; revision < newest; revision++ {
			sink(d.change(revision + 1))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-more:
		}
	}
}
