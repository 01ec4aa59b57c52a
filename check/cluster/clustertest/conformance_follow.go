package clustertest

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// patience is how long a test waits for what must come: long for a busy machine.
const patience = 30 * time.Second

// until polls what must become true.
func (b *bench) until(what string, reached func() bool) {
	b.Helper()
	for deadline := time.Now().Add(patience); !reached(); {
		if time.Now().After(deadline) {
			b.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// follower knows what a Node would know: it watches, and again whenever the watch
// breaks, and a list counts when it is Synced.
type follower struct {
	mu     sync.Mutex
	known  map[string]casmember.Event // of what is synced
	list   map[string]casmember.Event // while a list is told
	last   uint64                     // revision since the list
	lists  int                        // that were Synced
	wrong  []string                   // what breaks the promises of Watch
	breaks []error                    // of watches
	synced func(map[string]casmember.Event)
}

// follow watches until the end of the test, or until the returned follower's test
// is done.
func follow(b *bench, kv casmember.KV) *follower {
	b.Helper()
	return followWith(b, kv, nil)
}

// followWith is follow with a look at every list.
func followWith(b *bench, kv casmember.KV, synced func(map[string]casmember.Event)) *follower {
	b.Helper()
	f := &follower{synced: synced}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			err := kv.Watch(ctx, f.take)
			f.mu.Lock()
			f.breaks = append(f.breaks, err)
			f.mu.Unlock()
			time.Sleep(10 * time.Millisecond)
		}
	}()
	b.Cleanup(func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(patience):
			b.Errorf("Watch did not return within %v of the end of its context", patience)
			return
		}
		for _, wrong := range f.wrong {
			b.Error(wrong)
		}
	})
	return f
}

// take is the sink of the watch.
func (f *follower) take(e casmember.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Kind {
	case casmember.Reset:
		f.list, f.last = map[string]casmember.Event{}, 0
		return
	case casmember.Synced:
		if f.list == nil {
			f.fail("Synced without a Reset")
			return
		}
		f.known, f.list = f.list, nil
		f.lists++
		if f.synced != nil {
			f.synced(maps.Clone(f.known))
		}
		return
	}
	told := f.list
	if told == nil {
		if told = f.known; told == nil {
			f.fail("%v before the first Reset", e)
			return
		}
		if e.Kind == casmember.Put || e.Revision != 0 {
			if e.Revision <= f.last {
				f.fail("revision %d of %s after %d, want changes in their order", e.Revision, e.Key, f.last)
			}
			f.last = e.Revision
		}
	}
	switch e.Kind {
	case casmember.Put:
		f.last = max(f.last, e.Revision) // what follows a list is newer than all in it
		e.Value = append([]byte(nil), e.Value...)
		told[e.Key] = e
	case casmember.Deleted:
		delete(told, e.Key)
	default:
		f.fail("event kind %d: want Reset, Put, Deleted or Synced", e.Kind)
	}
}

func (f *follower) fail(format string, args ...any) {
	f.wrong = append(f.wrong, fmt.Sprintf("watch: "+format, args...))
}

// wait waits until the follower knows exactly the records.
func (f *follower) wait(b *bench, want map[string]string) {
	b.Helper()
	b.until(fmt.Sprintf("the watch tells %v, now %v after %v", want, f.values(), f.errors()), func() bool {
		got := f.values()
		return got != nil && maps.Equal(got, want)
	})
}

// values are the records that the follower knows; nil before the first list.
func (f *follower) values() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		return nil
	}
	values := map[string]string{}
	for key, e := range f.known {
		values[key] = string(e.Value)
	}
	return values
}

// errors are what watches have returned.
func (f *follower) errors() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.breaks
}

// count is how many lists there were.
func (f *follower) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lists
}
