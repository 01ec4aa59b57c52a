package clustertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster/casmember"
)

// faultTests are about connections that break and servers that go.
var faultTests = map[string]func(*bench){
	"UnknownWhileCutOff":           unknownWhileCutOff,
	"LostAnswerMayHaveBeenDone":    lostAnswerMayHaveBeenDone,
	"LostRequestIsNotBelieved":     lostRequestIsNotBelieved,
	"WatchCatchesUpAfterACut":      watchCatchesUpAfterACut,
	"WatchCatchesUpAfterARestart":  watchCatchesUpAfterARestart,
	"WatchSurvivesCompaction":      watchSurvivesCompaction,
	"ServerThatIsNotThereYet":      serverThatIsNotThereYet,
	"RestartKeepsRecordsAndCounts": restartKeepsRecordsAndCounts,
}

// short is how long a call waits that cannot be answered.
const short = 300 * time.Millisecond

// unknown fails the test unless the outcome is not known: an error that is
// neither of the certain ones, soon after the context has ended.
func unknown(b *bench, what string, f func(ctx context.Context) error) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), short)
	defer cancel()
	returned := make(chan error, 1)
	go func() { returned <- f(ctx) }()
	select {
	case err := <-returned:
		if err == nil || errors.Is(err, casmember.ErrGone) || errors.Is(err, casmember.ErrConflict) {
			b.Errorf("%s without an answer: error %v, want one that is not certain", what, err)
		}
	case <-time.After(patience):
		b.Errorf("%s did not return within %v of the end of its context", what, patience)
	}
}

// allUnknown is unknown for all calls, which are made at once.
func allUnknown(b *bench, kv casmember.KV, revision uint64) {
	b.Helper()
	var all sync.WaitGroup
	for what, f := range map[string]func(ctx context.Context) error{
		"Create":           func(ctx context.Context) error { _, err := kv.Create(ctx, "b.1", []byte("one")); return err },
		"Update":           func(ctx context.Context) error { _, err := kv.Update(ctx, "a.1", []byte("two"), revision); return err },
		"Update at 0":      func(ctx context.Context) error { _, err := kv.Update(ctx, "none.1", []byte("two"), 0); return err },
		"Delete":           func(ctx context.Context) error { return kv.Delete(ctx, "c.1", revision) },
		"Delete at 0":      func(ctx context.Context) error { return kv.Delete(ctx, "c.1", 0) },
		"Get":              func(ctx context.Context) error { _, err := kv.Get(ctx, "a.1"); return err },
		"Get of no record": func(ctx context.Context) error { _, err := kv.Get(ctx, "none.1"); return err },
		"Watch":            func(ctx context.Context) error { return kv.Watch(ctx, func(casmember.Event) {}) },
	} {
		all.Go(func() { unknown(b, what, f) })
	}
	all.Wait()
}

func unknownWhileCutOff(b *bench) {
	kv, wire := b.connect()
	revision := made(b, kv, "a.1", "one")
	wire.cut()
	allUnknown(b, kv, revision)
	wire.heal()
	b.until("the connection works again", func() bool {
		_, err := get(b, kv, "a.1")
		return err == nil
	})
}

// What was sent may be done; whoever sent it learns it by a read.
func lostAnswerMayHaveBeenDone(b *bench) {
	kv, wire := b.connect()
	revision := made(b, kv, "a.1", "one")
	watching := follow(b, b.kv())
	watching.wait(b, map[string]string{"a.1": "one"})
	wire.cut(answers)
	unknown(b, "Update", func(ctx context.Context) error { _, err := kv.Update(ctx, "a.1", []byte("two"), revision); return err })
	watching.wait(b, map[string]string{"a.1": "two"})
	wire.heal()
	b.until("the read tells that it was done", func() bool {
		got, err := get(b, kv, "a.1")
		return err == nil && got > revision
	})
	_, err := update(b, kv, "a.1", "three", revision)
	wantError(b, err, casmember.ErrConflict)
	watching.wait(b, map[string]string{"a.1": "two"})
}

// What was kept on the way is done late or never, but only ever once, and what it
// depends on is looked at when it is done.
func lostRequestIsNotBelieved(b *bench) {
	kv, wire := b.connect()
	other := b.kv()
	revision := made(b, kv, "a.1", "one")
	wire.cut(requests)
	unknown(b, "Update", func(ctx context.Context) error { _, err := kv.Update(ctx, "a.1", []byte("late"), revision); return err })
	removed(b, other, "a.1", revision)
	wire.heal()
	b.until("the record is told to be gone", func() bool {
		_, err := get(b, kv, "a.1")
		return errors.Is(err, casmember.ErrGone)
	})
	follow(b, other).wait(b, map[string]string{})
}

func watchCatchesUpAfterACut(b *bench) {
	kv, wire := b.connect()
	writer := b.kv()
	first := made(b, writer, "a.1", "one")
	second := made(b, writer, "b.1", "one")
	watching := follow(b, kv)
	watching.wait(b, map[string]string{"a.1": "one", "b.1": "one"})
	wire.cut()
	removed(b, writer, "a.1", first)
	second = updated(b, writer, "b.1", "two", second)
	made(b, writer, "c.1", "one")
	wire.heal()
	watching.wait(b, map[string]string{"b.1": "two", "c.1": "one"})
	wire.hangUp()
	removed(b, writer, "b.1", second)
	made(b, writer, "d.1", "one")
	wire.heal()
	watching.wait(b, map[string]string{"c.1": "one", "d.1": "one"})
}

func watchCatchesUpAfterARestart(b *bench) {
	kv, wire := b.connect()
	writer := b.kv()
	first := made(b, writer, "a.1", "one")
	made(b, writer, "b.1", "one")
	watching := follow(b, kv)
	watching.wait(b, map[string]string{"a.1": "one", "b.1": "one"})
	wire.hangUp()
	removed(b, writer, "a.1", first)
	b.stop()
	b.restart()
	b.until("a record can be made", func() bool {
		_, err := create(b, writer, "c.1", "one")
		return err == nil || errors.Is(err, casmember.ErrConflict)
	})
	watching.wait(b, map[string]string{"b.1": "one", "c.1": "one"})
}

// A watch that was away while the engine forgot what happened must not go on as
// if nothing had.
func watchSurvivesCompaction(b *bench) {
	if b.engine.Compact == nil {
		return
	}
	kv, wire := b.connect()
	writer := b.kv()
	first := made(b, writer, "a.1", "one")
	second := made(b, writer, "b.1", "one")
	watching := follow(b, kv)
	watching.wait(b, map[string]string{"a.1": "one", "b.1": "one"})
	wire.hangUp()
	removed(b, writer, "a.1", first)
	second = updated(b, writer, "b.1", "two", second)
	b.engine.Compact(b.T)
	wire.heal()
	watching.wait(b, map[string]string{"b.1": "two"})
	updated(b, writer, "b.1", "three", second)
	watching.wait(b, map[string]string{"b.1": "three"})
	if watching.count() < 2 {
		b.Error("1 list, want another one after the compaction")
	}
}

func serverThatIsNotThereYet(b *bench) {
	b.stop()
	kv, _ := b.connect()
	watching := follow(b, kv)
	allUnknown(b, kv, 1)
	b.restart()
	b.until("a record can be made", func() bool {
		_, err := create(b, kv, "late.1", "one")
		return err == nil || errors.Is(err, casmember.ErrConflict)
	})
	b.until("the watch tells it", func() bool { return watching.values()["late.1"] == "one" })
}

func restartKeepsRecordsAndCounts(b *bench) {
	kv := b.kv()
	first := made(b, kv, "a.1", "one")
	b.stop()
	b.restart()
	var got uint64
	b.until("the server answers", func() bool {
		var err error
		got, err = get(b, kv, "a.1")
		if errors.Is(err, casmember.ErrGone) {
			b.Fatal("the record is gone after a restart")
		}
		return err == nil
	})
	if got != first {
		b.Errorf("revision %d after a restart, want %d", got, first)
	}
	if second := made(b, kv, "b.1", "one"); second <= first {
		b.Errorf("revision %d after a restart, want more than %d", second, first)
	}
}
