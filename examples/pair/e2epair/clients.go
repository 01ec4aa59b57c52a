//go:build linux

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	writeEvery = 10 * time.Millisecond
	readEvery  = 25 * time.Millisecond
)

// The answers to a write, beside what a gate that is closed says.
const (
	accepted    = "accepted"
	bad         = "bad"         // let in, and failed
	unreachable = "unreachable" // no answer
)

// The words of a gate that is closed (S4.30).
const (
	roleUnknown = "not primary (role unknown)"
	notPrimary  = "not primary"
)

// writer tries to write to one node all the time, and notes the answers.
type writer struct {
	mu      sync.Mutex
	changes []answer // that were not as the one before
	counts  map[string]int
}

type answer struct {
	at   int64 // boot clock, when it was asked
	what string
}

func (w *writer) run(ctx context.Context, address string) {
	// An answer that is late is none, so that a node that hangs is tried again.
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Second}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		at := now()
		what := write(ctx, client, "http://"+address+"/write?item=valve&value=1")
		if ctx.Err() == nil {
			w.note(answer{at, what})
		}
		select {
		case <-time.After(writeEvery):
		case <-ctx.Done():
		}
	}
}

func write(ctx context.Context, client *http.Client, url string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	if err != nil {
		return unreachable
	}
	response, err := client.Do(r)
	if err != nil {
		return unreachable
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	var said struct {
		Error string `json:"error"`
	}
	switch {
	case err != nil:
		return unreachable
	case response.StatusCode == http.StatusOK:
		return accepted
	case response.StatusCode == http.StatusServiceUnavailable && json.Unmarshal(body, &said) == nil:
		return said.Error
	default:
		return bad
	}
}

func (w *writer) note(a answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.counts == nil {
		w.counts = map[string]int{}
	}
	w.counts[a.what]++
	if n := len(w.changes); n == 0 || w.changes[n-1].what != a.what {
		w.changes = append(w.changes, a)
	}
}

// count returns how often there was an answer.
func (w *writer) count(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts[what]
}

// since returns the answers after a time of the boot clock, repeats left out.
func (w *writer) since(at int64) (all []answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, a := range w.changes {
		if i+1 == len(w.changes) || w.changes[i+1].at >= at {
			all = append(all, a)
		}
	}
	return all
}

// words are the answers without their times, and without repeats.
func words(all []answer) (words []string) {
	for _, a := range all {
		if n := len(words); n == 0 || words[n-1] != a.what {
			words = append(words, a.what)
		}
	}
	return words
}

// reader asks one node for its level all the time.
type reader struct {
	mu     sync.Mutex
	counts map[int]int
}

func (r *reader) run(ctx context.Context, address string) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Second}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		if level, ok := read(ctx, client, "http://"+address+"/service-level"); ok {
			r.mu.Lock()
			if r.counts == nil {
				r.counts = map[int]int{}
			}
			r.counts[level]++
			r.mu.Unlock()
		}
		select {
		case <-time.After(readEvery):
		case <-ctx.Done():
		}
	}
}

func read(ctx context.Context, client *http.Client, url string) (level int, ok bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, false
	}
	response, err := client.Do(r)
	if err != nil {
		return 0, false
	}
	defer response.Body.Close()
	var l shown
	err = json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&l)
	return l.Level, err == nil
}

// levels returns all levels that were read, ascending, and how often.
func (r *reader) levels() (all []int, reads int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for level, n := range r.counts {
		all = append(all, level)
		reads += n
	}
	slices.Sort(all)
	return all, reads
}
