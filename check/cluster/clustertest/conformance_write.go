package clustertest

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// writeTests are about one record and its revisions.
var writeTests = map[string]func(*bench){
	"CreateIsForWhatIsNotThere":       createIsForWhatIsNotThere,
	"UpdateIsForTheRevision":          updateIsForTheRevision,
	"DeleteIsForTheRevision":          deleteIsForTheRevision,
	"RevisionsGrowOverAllRecords":     revisionsGrowOverAllRecords,
	"RevisionsGrowOverDeletion":       revisionsGrowOverDeletion,
	"GetSeesWhatOthersWrote":          getSeesWhatOthersWrote,
	"GetOfNothingLeavesNothing":       getOfNothingLeavesNothing,
	"OfManyCreatesOneIsDone":          ofManyCreatesOneIsDone,
	"OfManyUpdatesOneIsDone":          ofManyUpdatesOneIsDone,
	"OfUpdateAndDeleteOneIsDone":      ofUpdateAndDeleteOneIsDone,
	"OperatorsDeleteMakesARecordGone": operatorsDeleteMakesARecordGone,
}

// callLimit is how long one call may take: long for a busy machine.
const callLimit = 10 * time.Second

// call calls with a deadline.
func call[T any](b *bench, f func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(b.Context(), callLimit)
	defer cancel()
	return f(ctx)
}

func create(b *bench, kv casmember.KV, key, value string) (uint64, error) {
	return call(b, func(ctx context.Context) (uint64, error) { return kv.Create(ctx, key, []byte(value)) })
}

func update(b *bench, kv casmember.KV, key, value string, revision uint64) (uint64, error) {
	return call(b, func(ctx context.Context) (uint64, error) { return kv.Update(ctx, key, []byte(value), revision) })
}

func remove(b *bench, kv casmember.KV, key string, revision uint64) error {
	_, err := call(b, func(ctx context.Context) (struct{}, error) { return struct{}{}, kv.Delete(ctx, key, revision) })
	return err
}

func get(b *bench, kv casmember.KV, key string) (uint64, error) {
	return call(b, func(ctx context.Context) (uint64, error) { return kv.Get(ctx, key) })
}

// must fails the test on an error, and else returns the revision.
func must(b *bench, revision uint64, err error) uint64 {
	b.Helper()
	if err != nil {
		b.Fatalf("error %v, want none", err)
	}
	if revision == 0 {
		b.Fatal("revision 0, want one that counts")
	}
	return revision
}

// wantError fails the test on any other error than want.
func wantError(b *bench, err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("error %v, want %v", err, want)
	}
}

// made creates a record that must not be there.
func made(b *bench, kv casmember.KV, key, value string) uint64 {
	b.Helper()
	revision, err := create(b, kv, key, value)
	return must(b, revision, err)
}

// updated writes a record that is there.
func updated(b *bench, kv casmember.KV, key, value string, revision uint64) uint64 {
	b.Helper()
	newRevision, err := update(b, kv, key, value, revision)
	return must(b, newRevision, err)
}

// removed deletes a record that is there.
func removed(b *bench, kv casmember.KV, key string, revision uint64) {
	b.Helper()
	if err := remove(b, kv, key, revision); err != nil {
		b.Fatalf("delete: error %v, want none", err)
	}
}

func createIsForWhatIsNotThere(b *bench) {
	kv := b.kv()
	revision := made(b, kv, "a.1", "one")
	_, err := create(b, kv, "a.1", "two")
	wantError(b, err, casmember.ErrConflict)
	got, err := get(b, kv, "a.1")
	if must(b, got, err) != revision {
		b.Errorf("revision %d after a refused create, want %d", got, revision)
	}
}

// others are revisions that a record at this revision does not have. 0 is what
// some engines take for "not there" or "any".
func others(revision uint64) []uint64 {
	return []uint64{0, revision - 1, revision + 1, math.MaxInt64, math.MaxUint64}
}

func updateIsForTheRevision(b *bench) {
	kv := b.kv()
	first := made(b, kv, "a.1", "one")
	second := updated(b, kv, "a.1", "two", first)
	if second <= first {
		b.Errorf("revision %d after %d, want a larger one", second, first)
	}
	for _, other := range others(second) {
		if _, err := update(b, kv, "a.1", "three", other); !errors.Is(err, casmember.ErrConflict) {
			b.Errorf("update at %d of a record at %d: error %v, want %v", other, second, err, casmember.ErrConflict)
		}
		if _, err := update(b, kv, "none.1", "three", other); !errors.Is(err, casmember.ErrGone) {
			b.Errorf("update at %d of no record: error %v, want %v", other, err, casmember.ErrGone)
		}
	}
	follow(b, kv).wait(b, map[string]string{"a.1": "two"})
}

func deleteIsForTheRevision(b *bench) {
	kv := b.kv()
	revision := updated(b, kv, "a.1", "two", made(b, kv, "a.1", "one"))
	for _, other := range others(revision) {
		if err := remove(b, kv, "a.1", other); !errors.Is(err, casmember.ErrConflict) {
			b.Errorf("delete at %d of a record at %d: error %v, want %v", other, revision, err, casmember.ErrConflict)
		}
		if err := remove(b, kv, "none.1", other); !errors.Is(err, casmember.ErrGone) {
			b.Errorf("delete at %d of no record: error %v, want %v", other, err, casmember.ErrGone)
		}
	}
	removed(b, kv, "a.1", revision)
	_, err := get(b, kv, "a.1")
	wantError(b, err, casmember.ErrGone)
	wantError(b, remove(b, kv, "a.1", revision), casmember.ErrGone)
	_, err = update(b, kv, "a.1", "three", revision)
	wantError(b, err, casmember.ErrGone)
}

// Ages are revisions, so those of different records must compare.
func revisionsGrowOverAllRecords(b *bench) {
	one, two := b.kv(), b.kv()
	last := uint64(0)
	for i, key := range []string{"b.1", "a.1", "d.1", "c.1"} {
		kv := []casmember.KV{one, two}[i%2]
		created := made(b, kv, key, "joining")
		up := updated(b, kv, key, "up", created)
		if created <= last || up <= created {
			b.Errorf("%s: revisions %d and %d after %d, want each larger than the one before", key, created, up, last)
		}
		last = up
	}
}

func revisionsGrowOverDeletion(b *bench) {
	kv := b.kv()
	old := made(b, kv, "a.1", "one")
	removed(b, kv, "a.1", old)
	fresh := made(b, kv, "a.1", "two")
	if fresh <= old {
		b.Errorf("revision %d of a record made again, want more than %d", fresh, old)
	}
	wantError(b, remove(b, kv, "a.1", old), casmember.ErrConflict)
	follow(b, kv).wait(b, map[string]string{"a.1": "two"})
}

// A read that may be old must catch up; that a record is gone is never old.
func getSeesWhatOthersWrote(b *bench) {
	one, two := b.kv(), b.kv()
	revision := made(b, one, "a.1", "one")
	for range 20 {
		revision = updated(b, one, "a.1", "more", revision)
		b.until("the other connection reads the revision", func() bool {
			got, err := get(b, two, "a.1")
			return must(b, got, err) == revision
		})
	}
	removed(b, two, "a.1", revision)
	_, err := get(b, one, "a.1")
	wantError(b, err, casmember.ErrGone)
}

// An engine may have to write to know that nothing is there.
func getOfNothingLeavesNothing(b *bench) {
	kv := b.kv()
	watching := follow(b, kv)
	watching.wait(b, map[string]string{})
	for range 3 {
		_, err := get(b, kv, "a.1")
		wantError(b, err, casmember.ErrGone)
	}
	revision := made(b, kv, "a.1", "one")
	watching.wait(b, map[string]string{"a.1": "one"})
	removed(b, kv, "a.1", revision)
	_, err := get(b, kv, "a.1")
	wantError(b, err, casmember.ErrGone)
	watching.wait(b, map[string]string{})
	follow(b, kv).wait(b, map[string]string{})
}

// racers is how many do the same at once, each over its own connection.
const racers = 4

// race has each of the racers do f at once, and returns how many did it; the
// others must have been refused with one of the errors.
func race(b *bench, f func(kv casmember.KV, i int) error, refusals ...error) (done int) {
	b.Helper()
	kvs := make([]casmember.KV, racers)
	for i := range kvs {
		kvs[i] = b.kv()
		if _, err := get(b, kvs[i], "none.1"); !errors.Is(err, casmember.ErrGone) {
			b.Fatalf("error %v, want %v", err, casmember.ErrGone)
		}
	}
	errs := make([]error, racers)
	var all sync.WaitGroup
	for i, kv := range kvs {
		all.Go(func() { errs[i] = f(kv, i) })
	}
	all.Wait()
	for _, err := range errs {
		refused := false
		for _, refusal := range refusals {
			refused = refused || errors.Is(err, refusal)
		}
		switch {
		case err == nil:
			done++
		case !refused:
			b.Errorf("error %v, want none or one of %v", err, refusals)
		}
	}
	return done
}

func ofManyCreatesOneIsDone(b *bench) {
	done := race(b, func(kv casmember.KV, _ int) error {
		_, err := create(b, kv, "a.1", "one")
		return err
	}, casmember.ErrConflict)
	if done != 1 {
		b.Errorf("%d of %d creates of one key were done, want 1", done, racers)
	}
}

func ofManyUpdatesOneIsDone(b *bench) {
	revision := made(b, b.kv(), "a.1", "one")
	done := race(b, func(kv casmember.KV, _ int) error {
		_, err := update(b, kv, "a.1", "two", revision)
		return err
	}, casmember.ErrConflict)
	if done != 1 {
		b.Errorf("%d of %d updates at one revision were done, want 1", done, racers)
	}
}

func ofUpdateAndDeleteOneIsDone(b *bench) {
	revision := made(b, b.kv(), "a.1", "one")
	done := race(b, func(kv casmember.KV, i int) error {
		if i%2 == 0 {
			return remove(b, kv, "a.1", revision)
		}
		_, err := update(b, kv, "a.1", "two", revision)
		return err
	}, casmember.ErrConflict, casmember.ErrGone)
	if done != 1 {
		b.Errorf("%d of %d writes at one revision were done, want 1", done, racers)
	}
}

func operatorsDeleteMakesARecordGone(b *bench) {
	kv := b.kv()
	watching := follow(b, kv)
	revision := made(b, kv, "a.1", "one")
	made(b, kv, "b.1", "one")
	watching.wait(b, map[string]string{"a.1": "one", "b.1": "one"})
	b.engine.Delete(b.T, "a.1")
	_, err := update(b, kv, "a.1", "two", revision)
	wantError(b, err, casmember.ErrGone)
	_, err = get(b, kv, "a.1")
	wantError(b, err, casmember.ErrGone)
	watching.wait(b, map[string]string{"b.1": "one"})
}
