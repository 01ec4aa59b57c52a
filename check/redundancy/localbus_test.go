package redundancy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

var _ Bus = (*LocalBus)(nil)

func TestCheckMessage(t *testing.T) {
	const rule = ": must be words of letters, digits and dashes, joined by dots, 1 to 64 bytes"
	long := strings.Repeat("t", 64)
	for name, test := range map[string]struct {
		topic   string
		message []byte
		want    string
	}{
		"least":            {"t", nil, ""},
		"most":             {long, make([]byte, MaxMessage), ""},
		"words":            {"Alarms-2.of.line-0", []byte("m"), ""},
		"no topic":         {"", nil, `redundancy: topic ""` + rule},
		"long topic":       {long + "t", nil, `redundancy: topic "` + long + `t"` + rule},
		"very long topic":  {long + long, nil, `redundancy: topic "` + (long + long)[:80] + `"` + rule},
		"no first word":    {".t", nil, `redundancy: topic ".t"` + rule},
		"no last word":     {"t.", nil, `redundancy: topic "t."` + rule},
		"no word between":  {"t..t", nil, `redundancy: topic "t..t"` + rule},
		"slash":            {"t/t", nil, `redundancy: topic "t/t"` + rule},
		"wildcard":         {"t.*", nil, `redundancy: topic "t.*"` + rule},
		"letter of others": {"é", nil, `redundancy: topic "é"` + rule},
		"long message":     {"t", make([]byte, MaxMessage+1), "redundancy: message of 65537 bytes: must be at most 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := CheckMessage(test.topic, test.message); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error %q, want %q", got, test.want)
			}
		})
	}
}

// collect subscribes in a bubble until the test ends, and holds each message until
// go on is closed.
func collect(t *testing.T, b *LocalBus, goOn <-chan struct{}) (messages *[]string) {
	t.Helper()
	messages = new([]string)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = b.Subscribe(ctx, func(message []byte) {
			<-goOn
			*messages = append(*messages, string(message))
			clear(message)
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	synctest.Wait()
	return messages
}

func mustPublish(t *testing.T, b *LocalBus, topic, message string) {
	t.Helper()
	if err := b.Publish(t.Context(), topic, []byte(message)); err != nil {
		t.Fatal(err)
	}
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Each subscriber has bytes of its own, and the order is that of the publisher.
func TestLocalBusTellsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b LocalBus
		first, second := collect(t, &b, closed()), collect(t, &b, closed())
		var want []string
		for i := range 10 {
			message := fmt.Appendf(nil, "message %d", i)
			want = append(want, string(message))
			if err := b.Publish(t.Context(), "t", message); err != nil {
				t.Fatal(err)
			}
			clear(message)
		}
		synctest.Wait()
		for _, got := range []*[]string{first, second} {
			if !slices.Equal(*got, want) {
				t.Errorf("told %q, want %q", *got, want)
			}
		}
	})
}

// A subscriber that is stuck holds nobody up. It loses the oldest messages, and
// those of a topic with many before the only one of another.
func TestLocalBusBeforeAStuckSubscriber(t *testing.T) {
	for name, test := range map[string]struct {
		many int // of one topic, after one of another
		last string
		lost []string
	}{
		"all have room":         {letterboxSize - 1, "", nil},
		"one too many":          {letterboxSize, "", []string{"0"}},
		"three too many":        {letterboxSize + 2, "", []string{"0", "1", "2"}},
		"of a topic of its own": {letterboxSize - 1, "news", []string{"rare"}},
		"room for a last one":   {letterboxSize - 2, "news", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := NewLocalBus()
				goOn := make(chan struct{})
				stuck, brisk := collect(t, b, goOn), collect(t, b, closed())
				mustPublish(t, b, "first", "held")
				synctest.Wait() // the stuck one has taken it
				all := []string{"held", "rare"}
				mustPublish(t, b, "rare", "rare")
				for i := range test.many {
					all = append(all, fmt.Sprint(i))
					mustPublish(t, b, "many", fmt.Sprint(i))
					synctest.Wait()
				}
				if test.last != "" {
					all = append(all, test.last)
					mustPublish(t, b, test.last, test.last)
				}
				synctest.Wait()
				if !slices.Equal(*brisk, all) {
					t.Errorf("the brisk one was told %d messages, want %d", len(*brisk), len(all))
				}
				close(goOn)
				synctest.Wait()
				want := slices.DeleteFunc(slices.Clone(all), func(m string) bool { return slices.Contains(test.lost, m) })
				if !slices.Equal(*stuck, want) {
					t.Errorf("the stuck one was told %q, want all but %q", *stuck, test.lost)
				}
			})
		})
	}
}

// A subscriber may publish.
func TestLocalBusWithinReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewLocalBus()
		told := collect(t, b, closed())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = b.Subscribe(ctx, func(message []byte) {
				if string(message) == "question" {
					_ = b.Publish(ctx, "t", []byte("answer"))
				}
			})
		}()
		synctest.Wait()
		mustPublish(t, b, "t", "question")
		synctest.Wait()
		if want := []string{"question", "answer"}; !slices.Equal(*told, want) {
			t.Errorf("told %q, want %q", *told, want)
		}
		cancel()
		<-ended
	})
}

// Whatever ends a subscription, nothing waits for it afterwards.
func TestLocalBusForgetsSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewLocalBus()
		ctx, cancel := context.WithCancelCause(t.Context())
		returned := make(chan error, 1)
		go func() { returned <- b.Subscribe(ctx, func([]byte) {}) }()
		panicked := make(chan any, 1)
		go func() {
			defer func() { panicked <- recover() }()
			_ = b.Subscribe(t.Context(), func([]byte) { panic("receive") })
		}()
		synctest.Wait()
		mustPublish(t, b, "t", "")
		if got := <-panicked; got != "receive" {
			t.Errorf("recovered %v, want what receive panicked with", got)
		}
		why := errors.New("enough")
		cancel(why)
		if err := <-returned; !errors.Is(err, why) {
			t.Errorf("error %v, want %v", err, why)
		}
		if n := len(b.waiting); n != 0 {
			t.Errorf("%d subscribers are left, want 0", n)
		}
		if err := b.Publish(ctx, "t", nil); !errors.Is(err, why) {
			t.Errorf("error %v of Publish, want %v", err, why)
		}
	})
}

func TestLocalBusNil(t *testing.T) {
	var b *LocalBus
	const want = "redundancy: local bus nil: must not be nil"
	if err := b.Publish(t.Context(), "t", nil); err == nil || err.Error() != want {
		t.Errorf("error %v of Publish, want %s", err, want)
	}
	if err := b.Subscribe(t.Context(), func([]byte) {}); err == nil || err.Error() != want {
		t.Errorf("error %v of Subscribe, want %s", err, want)
	}
}
