package promtest

import (
	"bytes"
	"sync"
)

// tailBytes is how much of its end a tail keeps.
const tailBytes = 64 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*tailBytes { // now and then, not at each write
		kept := t.text[len(t.text)-tailBytes:]
		if line := bytes.IndexByte(kept, '\n'); line >= 0 {
			kept = kept[line+1:]
		}
		t.text = append(t.text[:0], kept...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
