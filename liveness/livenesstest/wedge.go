package livenesstest

import "sync"

// A Wedge holds a loop fast. The zero Wedge lets everybody pass. Any goroutine
// may use it; it must not be copied after its first use.
type Wedge struct {
	mu   sync.Mutex
	shut chan struct{} // closed by Release; nil while everybody may pass
	held int
}

// Pass returns at once, unless the wedge is driven: then it blocks until
// Release. Like a handler that hangs, it looks at no context.
func (w *Wedge) Pass() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.shut != nil {
		shut := w.shut
		w.held++
		w.mu.Unlock()
		<-shut
		w.mu.Lock()
		w.held--
	}
}

// Drive makes Pass block from now on. Driving it twice is driving it once.
func (w *Wedge) Drive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut == nil {
		w.shut = make(chan struct{})
	}
}

// Release lets everybody pass again, those who wait too.
func (w *Wedge) Release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut != nil {
		close(w.shut)
		w.shut = nil
	}
}

// Held is how many goroutines wait in Pass.
func (w *Wedge) Held() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}
