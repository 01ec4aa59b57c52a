package redundancytest

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// carryTests are about a bus that works. They share its engine, one after the
// other.
var carryTests = []test{
	{"EverySubscriberIsTold", everySubscriberIsTold},
	{"MessagesOfAllSizes", messagesOfAllSizes},
	{"TopicsAtTheirBounds", topicsAtTheirBounds},
	{"RefusesTopics", refusesTopics},
	{"BytesAreThePublishers", bytesAreThePublishers},
	{"ManyPublishers", manyPublishers},
	{"SubscriberThatComesLate", subscriberThatComesLate},
	{"SubscriberThatIsStuck", subscriberThatIsStuck},
	{"ContextThatHasEnded", contextThatHasEnded},
	{"NothingIsLeft", nothingIsLeft},
}

// The publisher is among them: a node learns its own role over the bus.
func everySubscriberIsTold(b *bench) {
	first, second := b.bus(), b.bus()
	all := []*listener{b.listen(first), b.listen(first), b.listen(second)}
	b.deliver(first, "of the first", all...)
	b.deliver(second, "of the second", all...)
}

// A message arrives as it was sent, whatever its bytes.
func messagesOfAllSizes(b *bench) {
	bus := b.bus()
	l := b.listen(b.bus())
	b.deliver(bus, "", l)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	b.deliver(bus, string(every), l)
	b.deliver(bus, strings.Repeat("m", redundancy.MaxMessage), l)

	tooLong := bytes.Repeat([]byte("n"), redundancy.MaxMessage+1)
	if err := b.publish(bus, topicOfTests, tooLong, patience); err == nil {
		b.Errorf("no error for a message of %d bytes, want one", len(tooLong))
	}
	b.deliver(bus, "the next", l)
	if l.has(string(tooLong)) {
		b.Errorf("a message of %d bytes was refused, and arrived", len(tooLong))
	}
}

func topicsAtTheirBounds(b *bench) {
	bus := b.bus()
	l := b.listen(b.bus())
	for _, topic := range []string{
		"a", "Z", "0", "-", "a.b", "Az-09.b.-", strings.Repeat("t", 64), strings.Repeat("t.", 31) + "tt",
	} {
		b.deliverUnder(bus, topic, "under "+topic, l)
	}
}

func refusesTopics(b *bench) {
	bus := b.bus()
	l := b.listen(b.bus())
	for _, topic := range []string{
		"", strings.Repeat("t", 65), ".", ".a", "a.", "a..b", "a b", "a/b", "a_b", "*", "a.*", ">", "a.>", "é", "a\n", "a\x00", "$SYS",
	} {
		if err := b.publish(bus, topic, []byte("refused"), patience); err == nil {
			b.Errorf("no error under the topic %q, want one", topic)
		}
	}
	b.deliver(bus, "the next", l)
	if l.has("refused") {
		b.Error("a message was refused, and arrived")
	}
}

// What the publisher does with its bytes afterwards reaches nobody.
func bytesAreThePublishers(b *bench) {
	bus := b.bus()
	l := b.listen(b.bus())
	message := []byte("before")
	b.until("the message has arrived", func() bool {
		copy(message, "before")
		_ = b.publish(bus, topicOfTests, message, patience)
		copy(message, "AFTERW")
		return l.has("before")
	})
	b.deliver(bus, "the next", l)
	if l.has("AFTERW") {
		b.Error("bytes that were changed after Publish had returned have arrived")
	}
}

// Messages of many goroutines stay whole.
func manyPublishers(b *bench) {
	bus := b.bus()
	l := b.listen(b.bus())
	b.deliver(bus, sealed("ready"), l)
	var all sync.WaitGroup
	for p := range 8 {
		all.Go(func() {
			for i := range 25 {
				message := sealed(fmt.Sprintf("%d.%d.%s", p, i, strings.Repeat("x", 1000*p)))
				_ = b.publish(bus, fmt.Sprintf("publisher-%d", p), []byte(message), patience)
			}
		})
	}
	all.Wait()
	for p := range 8 {
		b.deliver(bus, sealed(fmt.Sprintf("%d.last", p)), l)
	}
	for _, message := range l.messages() {
		if !whole(message) {
			b.Errorf("a message of %d bytes, %.40q, is not one that was sent", len(message), message)
		}
	}
}

// sealed adds a sum to a message, by which whole knows it.
func sealed(message string) string {
	return fmt.Sprintf("%08x%s", crc32.ChecksumIEEE([]byte(message)), message)
}

func whole(message string) bool { return len(message) >= 8 && sealed(message[8:]) == message }

func subscriberThatComesLate(b *bench) {
	bus := b.bus()
	early := b.listen(b.bus())
	b.deliver(bus, "one", early)
	late := b.listen(bus)
	b.deliver(bus, "two", early, late)
}

// A subscriber that is stuck delays nobody, and takes part again afterwards.
func subscriberThatIsStuck(b *bench) {
	bus, other := b.bus(), b.bus()
	stuck, brisk := b.listen(other), b.listen(other)
	b.deliver(bus, "ready", stuck, brisk)
	resume := stuck.pause()
	b.until("the subscriber is stuck", func() bool {
		_ = b.publish(bus, topicOfTests, []byte("stuck"), patience)
		return stuck.stuck()
	})
	padding := strings.Repeat("p", 4000)
	for i := range 600 {
		if err := b.publish(bus, topicOfTests, fmt.Appendf(nil, "%d %s", i, padding), patience); err != nil {
			b.Fatalf("publish beside a subscriber that is stuck: %v", err)
		}
	}
	b.deliver(bus, "past the stuck one", brisk)
	resume()
	b.deliver(bus, "after the pause", stuck, brisk)
}

func contextThatHasEnded(b *bench) {
	bus := b.bus()
	l := b.listen(bus)
	b.deliver(bus, "ready", l)
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	if err := bus.Publish(ctx, topicOfTests, []byte("too late")); err == nil {
		b.Error("no error of Publish after the end of its context, want one")
	}
	if err := bus.Subscribe(ctx, func([]byte) {}); err == nil {
		b.Error("no error of Subscribe after the end of its context, want one")
	}
	b.deliver(bus, "the next", l)
	if l.has("too late") {
		b.Error("a message that was refused has arrived")
	}
}

// A subscription leaves nothing behind. What its engine does meanwhile is no
// concern of it, so the numbers are rough.
func nothingIsLeft(b *bench) {
	const times, others = 60, 20
	bus := b.bus()
	l := b.listen(bus)
	b.deliver(bus, "ready", l)
	before := runtime.NumGoroutine()
	for i := range times {
		ctx, cancel := context.WithCancel(b.Context())
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			_ = bus.Subscribe(ctx, func([]byte) {})
		}()
		_ = b.publish(bus, topicOfTests, []byte("more"), patience)
		if i%2 == 0 { // some end while they begin
			time.Sleep(time.Millisecond)
		}
		cancel()
		select {
		case <-returned:
		case <-time.After(patience):
			b.Fatalf("Subscribe did not return within %v of the end of its context", patience)
		}
	}
	b.until(fmt.Sprintf("the goroutines of %d subscriptions are gone", times), func() bool {
		return runtime.NumGoroutine() < before+others
	})
}
