//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// history is what one life of a node has shown, in order.
type history []look

// readHistory reads the file of a watch.
func readHistory(path string) (h history, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // being written
		}
		var l look
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		h = append(h, l)
	}
	return h, nil
}

// span is a time in which a node was seen to show something without a break, both
// ends included, in nanoseconds of the boot clock.
type span struct {
	life        *life
	first, last int64
}

// spans returns when something held. end is the last moment of the life.
func (h history) spans(of *life, end int64, holds func(look) bool) (all []span) {
	open := false
	for i, l := range h {
		last := end
		if i+1 < len(h) {
			last = h[i+1].Was
		}
		switch {
		case !holds(l):
			open = false
		case open:
			all[len(all)-1].last = last
		default:
			all = append(all, span{of, l.Since, last})
			open = true
		}
	}
	return all
}

// overlap returns the longest time in which two different lives had a span at the
// same time, and the two; 0 when there is none. Spans that are empty, which a look
// that was seen once can be, overlap with nothing.
func overlap(all []span) (longest time.Duration, a, b span) {
	for i, one := range all {
		for _, other := range all[i+1:] {
			if one.life == other.life {
				continue
			}
			if d := time.Duration(min(one.last, other.last) - max(one.first, other.first)); d > longest {
				longest, a, b = d, one, other
			}
		}
	}
	return longest, a, b
}

// levels returns the levels shown one after the other, repeats left out.
func (h history) levels() (all []int) {
	for _, l := range h {
		if n := len(all); n == 0 || all[n-1] != l.Level {
			all = append(all, l.Level)
		}
	}
	return all
}
