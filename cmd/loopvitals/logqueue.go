package main

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

// queue is a writer that never blocks: one goroutine writes the lines, and what it
// has no room for is dropped and counted. A log that nobody reads, that is full or
// gone, keeps no probe waiting.
type queue struct {
	lines   chan []byte // nil asks for flushed
	flushed chan struct{}
	dropped atomic.Int64 // lines
}

// linesQueued bounds what is kept for a log that is slow.
const linesQueued = 64

func newQueue(w io.Writer) *queue {
	q := &queue{lines: make(chan []byte, linesQueued), flushed: make(chan struct{})}
	go q.copy(w)
	return q
}

// copy writes line by line until flush.
func (q *queue) copy(w io.Writer) {
	defer close(q.flushed)
	for line := range q.lines {
		if line == nil {
			return
		}
		if _, err := w.Write(line); err != nil {
			q.dropped.Add(1)
		}
	}
}

// Write takes in one line, and never fails: a log has nobody to tell.
func (q *queue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.dropped.Add(1)
	}
	return len(line), nil
}

// flush ends the queue and waits for what is in it, but not longer than the limit.
func (q *queue) flush(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case q.lines <- nil:
	case <-timer.C:
		return
	}
	select {
	case <-q.flushed:
	case <-timer.C:
	}
}
