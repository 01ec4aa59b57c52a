package redundancy

import (
	"slices"
	"sync"
)

// letterboxSize is how many messages wait for one subscriber: more than the peers
// of a large cluster send in one interval.
const letterboxSize = 256

// letterbox holds what one subscriber has not taken yet.
type letterbox struct {
	filled chan struct{} // has one element when there may be letters

	mu      sync.Mutex
	letters []letter // the oldest first
}

type letter struct {
	topic   string
	message []byte
}

func newLetterbox() *letterbox { return &letterbox{filled: make(chan struct{}, 1)} }

// put adds a letter. In a full box it takes the place of the oldest of its topic,
// so that a topic with many messages cannot crowd out one with few.
func (b *letterbox) put(l letter) {
	b.mu.Lock()
	if len(b.letters) >= letterboxSize {
		oldest := slices.IndexFunc(b.letters, func(other letter) bool { return other.topic == l.topic })
		b.letters = slices.Delete(b.letters, max(oldest, 0), max(oldest, 0)+1)
	}
	b.letters = append(b.letters, l)
	b.mu.Unlock()
	select {
	case b.filled <- struct{}{}:
	default:
	}
}

func (b *letterbox) take() (l letter, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.letters) == 0 {
		return letter{}, false
	}
	l = b.letters[0]
	b.letters = slices.Delete(b.letters, 0, 1)
	return l, true
}
