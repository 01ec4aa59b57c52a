package redundancytest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// listener is a subscriber that subscribes again when its subscription breaks, as
// a Node does.
type listener struct {
	bench *bench
	end   context.CancelFunc
	ended chan struct{}

	mu    sync.Mutex
	got   map[string]int
	calls int // receive is being called
	hold  chan struct{}
}

// listen returns a listener that ends with the test.
func (b *bench) listen(bus redundancy.Bus) *listener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{bench: b, end: cancel, ended: make(chan struct{}), got: map[string]int{}}
	go func() {
		defer close(l.ended)
		for ctx.Err() == nil {
			l.subscribe(ctx, bus)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	b.Cleanup(l.stop)
	return l
}

func (l *listener) subscribe(ctx context.Context, bus redundancy.Bus) {
	over := false
	err := bus.Subscribe(ctx, func(message []byte) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if over {
			l.bench.Error("receive was called after Subscribe had returned")
		}
		l.receive(message)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	over = true
	if err == nil {
		l.bench.Error("Subscribe returned no error, want why it ended")
	}
}

// receive notes a message, and first waits while the listener is held.
func (l *listener) receive(message []byte) {
	if l.calls++; l.calls > 1 {
		l.bench.Error("receive was called while it had not returned")
	}
	if hold := l.hold; hold != nil {
		l.mu.Unlock()
		<-hold
		l.mu.Lock()
	}
	l.got[string(message)]++
	l.calls--
}

// pause makes the listener stuck with its next message until resume is called.
func (l *listener) pause() (resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	hold := make(chan struct{})
	l.hold = hold
	resume = sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.hold = nil
		close(hold)
	})
	l.bench.Cleanup(resume) // before the listener's end, which waits for it
	return resume
}

// stuck tells whether receive has not returned.
func (l *listener) stuck() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls > 0
}

func (l *listener) has(message string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.got[message] > 0
}

// messages returns what has come so far, each once.
func (l *listener) messages() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []string
	for message := range l.got {
		all = append(all, message)
	}
	return all
}

// stop wants that Subscribe returns when its context has ended.
func (l *listener) stop() {
	l.end()
	select {
	case <-l.ended:
	case <-time.After(patience):
		l.bench.Errorf("Subscribe did not return within %v of the end of its context", patience)
	}
}

// publish wants that Publish returns soon, also when it cannot do it.
func (b *bench) publish(bus redundancy.Bus, topic string, message []byte, limit time.Duration) error {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	returned := make(chan error, 1)
	go func() { returned <- bus.Publish(ctx, topic, message) }()
	select {
	case err := <-returned:
		return err
	case <-time.After(limit + patience):
		b.Errorf("Publish did not return within %v of the end of its context", patience)
		return errors.New("did not return")
	}
}

// topicOfTests is used where the topic does not matter.
const topicOfTests = "test"

// deliver publishes a message until all listeners have it: a bus may lose some.
func (b *bench) deliver(bus redundancy.Bus, message string, to ...*listener) {
	b.Helper()
	b.deliverUnder(bus, topicOfTests, message, to...)
}

func (b *bench) deliverUnder(bus redundancy.Bus, topic, message string, to ...*listener) {
	b.Helper()
	var failed error
	var again time.Time
	defer func() {
		if b.Failed() && failed != nil {
			b.Logf("the last error of Publish: %v", failed)
		}
	}()
	b.until("all subscribers have what was published", func() bool {
		if time.Now().After(again) {
			failed = b.publish(bus, topic, []byte(message), 2*time.Second)
			again = time.Now().Add(100 * time.Millisecond)
		}
		for _, l := range to {
			if !l.has(message) {
				return false
			}
		}
		return true
	})
}
