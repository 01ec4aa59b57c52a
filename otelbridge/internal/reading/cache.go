package reading

import (
	"slices"
	"sync/atomic"
)

// cache keeps what was prepared for each of a changing set of keys, from one
// collection to the next. What a collection does not ask for is dropped at its
// end, so nothing outlives its subject (CASE-115).
//
// Readers may collect at the same time and no lock may make one wait for
// another, so a list is never changed after it was published: a collection that
// finds a change makes a new one. Of two that do so at once one list wins, and
// both are right.
type cache[T any] struct{ list atomic.Pointer[[]cached[T]] }

type cached[T any] struct {
	key   string
	value T
}

// walk goes through a cache alongside the keys of one collection, which come in
// ascending order.
type walk[T any] struct {
	cache   *cache[T]
	list    []cached[T]
	at      int         // in list
	changed bool        // what came so far differs from list
	next    []cached[T] // what came so far, when changed
}

func (c *cache[T]) walk() walk[T] {
	w := walk[T]{cache: c}
	if list := c.list.Load(); list != nil {
		w.list = *list
	}
	return w
}

// find returns the value of the next key, which is built if there is none.
func (w *walk[T]) find(key string, build func(key string) T) T {
	for w.at < len(w.list) && w.list[w.at].key < key {
		w.change()
		w.at++
	}
	if w.at < len(w.list) && w.list[w.at].key == key {
		found := w.list[w.at]
		w.at++
		if w.changed {
			w.next = append(w.next, found)
		}
		return found.value
	}
	w.change()
	value := build(key)
	w.next = append(w.next, cached[T]{key, value})
	return value
}

// end publishes what changed.
func (w *walk[T]) end() {
	if w.at < len(w.list) {
		w.change()
	}
	if w.changed {
		next := w.next // a pointer into the walk would keep its list alive, too
		w.cache.list.Store(&next)
	}
}

// change begins the new list, once.
func (w *walk[T]) change() {
	if !w.changed {
		w.changed = true
		w.next = slices.Clone(w.list[:w.at])
	}
}
