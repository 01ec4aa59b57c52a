package adapter

import "testing"

// TestLatch closes at the first ready document of a life and opens with another
// life (S2.6).
func TestLatch(t *testing.T) {
	type seen struct {
		instance string
		ready    bool
		closed   bool
	}
	for name, steps := range map[string][]seen{
		"never ready":          {{"1", false, false}, {"1", false, false}},
		"ready once":           {{"1", false, false}, {"1", true, true}, {"1", false, true}},
		"another life":         {{"1", true, true}, {"2", false, false}, {"2", true, true}},
		"a life that is ready": {{"1", true, true}, {"2", true, true}},
		"back to the old life": {{"1", true, true}, {"2", false, false}, {"1", false, false}},
	} {
		var l latch
		for i, s := range steps {
			if l.see(s.instance, s.ready); l.closed != s.closed {
				t.Errorf("%s: step %d leaves the latch closed %v, want %v", name, i, l.closed, s.closed)
			}
		}
	}
}
