package redundancy

import (
	"context"
	"fmt"
)

// Bus carries messages from each node to all nodes, its own included. It promises
// little, so that much can be one: messages may be lost, come twice, late or in
// another order, and whoever subscribes later need not be told what was said
// before. What is sent over it is repeated often enough and says which of two is
// newer. What it does carry arrives as it was sent.
//
// A subscriber that is slow or stuck loses messages; it delays no publisher and no
// other subscriber, and what waits for it is bounded. All methods may be called by
// any goroutine. Package redundancytest tests a Bus.
type Bus interface {
	// Publish sends a message, which may be empty, under a topic, and keeps no
	// hold of its bytes. It refuses what CheckMessage refuses. It returns when
	// the message is on its way, or soon after ctx has ended; then the message
	// may still arrive. While it is known that nothing can be sent it returns an
	// error, and does not store the message for later: by then it would mislead.
	// A bus that keeps messages keeps the last of each topic and publisher at
	// most.
	Publish(ctx context.Context, topic string, message []byte) error
	// Subscribe calls receive for each message of any topic, from when it is
	// subscribed, one at a time, until ctx ends or it cannot go on; it returns
	// why, and never nil. A break that it can survive is none: what is sent
	// after it arrives. receive does not keep or change the bytes, and returns
	// soon. It is called by the goroutine that called Subscribe, so never after
	// Subscribe has returned.
	Subscribe(ctx context.Context, receive func(message []byte)) error
}

const (
	// MaxMessage is the largest message that a Bus must carry, in bytes.
	MaxMessage = 64 << 10
	maxTopic   = 64
)

// CheckMessage returns why a Bus refuses a message, nil when it does not. A topic
// is one or more words of ASCII letters, digits and dashes, joined by dots, and
// has 1 to 64 bytes. A message has at most MaxMessage bytes.
func CheckMessage(topic string, message []byte) error {
	if !validTopic(topic) {
		return fmt.Errorf("redundancy: topic %.80q: must be words of letters, digits and dashes, joined by dots, 1 to %d bytes", topic, maxTopic)
	}
	if len(message) > MaxMessage {
		return fmt.Errorf("redundancy: message of %d bytes: must be at most %d", len(message), MaxMessage)
	}
	return nil
}

func validTopic(topic string) bool {
	if len(topic) > maxTopic {
		return false
	}
	letters := 0 // of the present word
	for _, c := range []byte(topic) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			letters++
		case c == '.' && letters > 0:
			letters = 0
		default:
			return false
		}
	}
	return letters > 0
}
