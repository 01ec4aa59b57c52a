package main

import (
	"io"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestStopDoesNotWaitForEver has an adapter whose command cannot be killed: the
// process ends all the same, and sooner after a second signal.
func TestStopDoesNotWaitForEver(t *testing.T) {
	for _, c := range []struct {
		name   string
		second time.Duration // after the first signal
		want   time.Duration
	}{
		{"one signal", time.Hour, stopLimit},
		{"a second one", 100 * time.Millisecond, 100*time.Millisecond + hurry},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				signals := make(chan os.Signal, 2)
				timer := time.AfterFunc(c.second, func() { signals <- os.Interrupt; signals <- os.Interrupt })
				defer timer.Stop()
				began := time.Now()
				exit := stop(nil, os.Interrupt, signals, nil, report{logger: slog.New(slog.DiscardHandler)})
				if took := time.Since(began); exit != exitFailed || took != c.want {
					t.Errorf("exit %d after %v, want %d after %v", exit, took, exitFailed, c.want)
				}
			})
		})
	}
	if sum := stopLimit + flushLimit; sum >= 500*time.Millisecond {
		t.Errorf("a stop may take %v", sum)
	}
}

// TestQueueNeverBlocks fills it with nobody to write its lines, and counts what has
// no room.
func TestQueueNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe() // blocks until it is read
		q := newQueue(writer)
		for range 1000 {
			if n, err := q.Write([]byte("line\n")); n != 5 || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
			synctest.Wait()
		}
		if dropped, want := q.dropped.Load(), int64(1000-linesQueued-1); dropped != want { // one is being written
			t.Errorf("%d lines are dropped, want %d", dropped, want)
		}
		began := time.Now()
		q.flush(flushLimit)
		if took := time.Since(began); took != flushLimit {
			t.Errorf("flush took %v", took)
		}
		reader.Close() // every line fails from now on
		synctest.Wait()
		if dropped := q.dropped.Load(); dropped != 1000 {
			t.Errorf("%d of 1000 lines are dropped", dropped)
		}
		q.flush(flushLimit)
	})
}

// TestQueueFlushes what is in it, in order.
func TestQueueFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text slowText
		q := newQueue(&text)
		line := []byte("a\n")
		for range 5 {
			_, _ = q.Write(line)
			line[0]++ // it has been copied
		}
		q.flush(flushLimit)
		if text.text != "a\nb\nc\nd\ne\n" || q.dropped.Load() != 0 {
			t.Errorf("%q, %d dropped", text.text, q.dropped.Load())
		}
	})
}

type slowText struct{ text string }

func (s *slowText) Write(line []byte) (int, error) {
	time.Sleep(time.Millisecond)
	s.text += string(line)
	return len(line), nil
}
