package reading

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"
)

// TestCacheAgainstAModel: a key that stays keeps its value, one that is new gets
// one, one that left is forgotten, and nothing is made anew without a change.
func TestCacheAgainstAModel(t *testing.T) {
	var c cache[*int]
	model := map[string]*int{}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		var keys []string
		for key := range 12 {
			if random.IntN(4) > 0 {
				keys = append(keys, string(rune('a'+key)))
			}
		}
		if round%3 == 0 { // the same once more
			keys = slices.Sorted(maps.Keys(model))
		}
		before := c.list.Load()
		next := map[string]*int{}
		w := c.walk()
		for _, key := range keys {
			next[key] = w.find(key, func(string) *int { return new(int) })
			if held := model[key]; held != nil && held != next[key] {
				t.Fatalf("round %d: %s was made again", round, key)
			}
		}
		w.end()
		if same := maps.Equal(model, next); same != (before == c.list.Load()) && round > 0 {
			t.Fatalf("round %d: keys the same: %v, list the same: %v", round, same, before == c.list.Load())
		}
		model = next
		var held []string
		if list := c.list.Load(); list != nil {
			for _, x := range *list {
				held = append(held, x.key)
			}
		}
		if !slices.Equal(held, keys) {
			t.Fatalf("round %d: cache holds %v, want %v", round, held, keys)
		}
	}
}

// TestCacheOfTwoReaders: a collection that was overtaken by another neither
// fails nor spoils what the other one published.
func TestCacheOfTwoReaders(t *testing.T) {
	var c cache[*int]
	build := func(string) *int { return new(int) }
	slow, quick := c.walk(), c.walk()
	slow.find("a", build)
	quick.find("a", build)
	quick.find("b", build)
	quick.end()
	published := slices.Clone(*c.list.Load())
	again := c.walk()
	slow.find("c", build)
	slow.end()
	if again.find("a", build) != published[0].value || again.find("b", build) != published[1].value {
		t.Error("a list changed after it was published")
	}
}

// TestCacheForgets: what was prepared for a key that left can be freed at once,
// and not only when the next key leaves (CASE-115).
func TestCacheForgets(t *testing.T) {
	var c cache[*[64]byte]
	var left weak.Pointer[[64]byte]
	collect := func(keys ...string) {
		w := c.walk()
		for _, key := range keys {
			w.find(key, func(string) *[64]byte {
				made := new([64]byte)
				left = weak.Make(made)
				return made
			})
		}
		w.end()
	}
	collect("stays")
	collect("leaves", "stays")
	collect("stays")
	runtime.GC()
	if left.Value() != nil {
		t.Error("the key that left is held")
	}
	runtime.KeepAlive(&c)
}
