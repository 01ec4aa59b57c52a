package clustertest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// watchTests are about what a watch tells while all is well.
var watchTests = map[string]func(*bench){
	"EmptyStoreIsSynced":           emptyStoreIsSynced,
	"ListThenChangesInOrder":       listThenChangesInOrder,
	"ListHasNoDeletedRecords":      listHasNoDeletedRecords,
	"ListIsOneStateUnderWriting":   listIsOneStateUnderWriting,
	"WatchEndsWithItsContext":      watchEndsWithItsContext,
	"ManyWatchesOverOneConnection": manyWatchesOverOneConnection,
}

func emptyStoreIsSynced(b *bench) {
	follow(b, b.kv()).wait(b, map[string]string{})
}

func listThenChangesInOrder(b *bench) {
	writer := b.kv()
	first := made(b, writer, "a.1", "joining")
	second := made(b, writer, "b.1", "joining")
	watching := follow(b, b.kv())
	watching.wait(b, map[string]string{"a.1": "joining", "b.1": "joining"})
	up := updated(b, writer, "b.1", "up", second)
	updated(b, writer, "a.1", "up", first)
	removed(b, writer, "b.1", up)
	third := made(b, writer, "c.1", "joining")
	watching.wait(b, map[string]string{"a.1": "up", "c.1": "joining"})
	watching.mu.Lock()
	defer watching.mu.Unlock()
	if got := watching.known["c.1"].Revision; got != third {
		b.Errorf("the watch told revision %d, want %d as create did", got, third)
	}
	if watching.lists != 1 {
		b.Errorf("%d lists without a fault, want 1", watching.lists)
	}
}

func listHasNoDeletedRecords(b *bench) {
	kv := b.kv()
	removed(b, kv, "a.1", made(b, kv, "a.1", "one"))
	made(b, kv, "b.1", "one")
	removed(b, kv, "c.1", made(b, kv, "c.1", "one"))
	follow(b, kv).wait(b, map[string]string{"b.1": "one"})
}

// Records are made one after the other, none is deleted, and all are written
// again and again. So in any one state of the engine there is, with a record, each
// that was made before it. A list that lacks one could show a young member
// without the old one.
func listIsOneStateUnderWriting(b *bench) {
	const members, lists = 24, 60
	writer, refresher := b.kv(), b.kv()
	var known atomic.Int64
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var writers sync.WaitGroup
	revisions := [members]atomic.Uint64{}
	writers.Go(func() { // brings in one member after the other
		for i := range members {
			revisions[i].Store(made(b, writer, fmt.Sprintf("%02d.1", i), "new"))
			known.Store(int64(i + 1))
			select {
			case <-ctx.Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	writers.Go(func() { // writes all of them again, the oldest first
		for ctx.Err() == nil {
			for i := range known.Load() {
				at, err := refresher.Update(ctx, fmt.Sprintf("%02d.1", i), []byte("again"), revisions[i].Load())
				if err == nil {
					revisions[i].Store(at)
				}
			}
		}
	})
	check := func(list map[string]casmember.Event) {
		youngest := -1
		for i := range members {
			if _, there := list[fmt.Sprintf("%02d.1", i)]; there {
				youngest = i
			}
		}
		if youngest+1 != len(list) {
			b.Errorf("a list has a record %02d and %d records in all: an older one is left out", youngest, len(list))
		}
	}
	reader := b.kv()
	for range lists {
		again, stop := context.WithCancel(ctx)
		f := &follower{synced: func(list map[string]casmember.Event) { check(list); stop() }}
		if err := reader.Watch(again, f.take); again.Err() == nil {
			b.Errorf("watch: %v", err)
		}
		stop()
	}
	b.until("all members are there", func() bool { return known.Load() == members })
	cancel()
	writers.Wait()
}

func watchEndsWithItsContext(b *bench) {
	kv := b.kv()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	synced := make(chan struct{})
	returned := make(chan error, 1)
	go func() {
		returned <- kv.Watch(ctx, func(e casmember.Event) {
			if e.Kind == casmember.Synced {
				close(synced)
			}
		})
	}()
	select {
	case <-synced:
	case err := <-returned:
		b.Fatalf("watch: %v", err)
	}
	cancel()
	select {
	case err := <-returned:
		if err == nil {
			b.Error("Watch returned no error, want what broke it")
		}
	case <-time.After(patience):
		b.Fatalf("Watch did not return within %v of the end of its context", patience)
	}
}

func manyWatchesOverOneConnection(b *bench) {
	kv := b.kv()
	var all []*follower
	for range 4 {
		all = append(all, follow(b, kv))
	}
	made(b, kv, "a.1", "one")
	for _, f := range all {
		f.wait(b, map[string]string{"a.1": "one"})
	}
}
