package redundancy

import "context"

// Bus carries messages from each node to all nodes, its own included. It promises
// little, so that much can be one: messages may be lost, come twice or in another
// order, and whoever subscribes later need not be told what was said before. What
// is sent over it is repeated often enough and says which of two is newer.
//
// Messages are at most MaxMessage bytes. All methods may be called by any
// goroutine.
type Bus interface {
	// Publish sends a message under a topic: a few words of letters, digits, dots
	// and dashes, at most 64 bytes. A bus that keeps the last message of a topic
	// keeps no more than that. It returns when the message is on its way, or ctx
	// has ended.
	Publish(ctx context.Context, topic string, message []byte) error
	// Subscribe calls receive for each message from when it is subscribed, one
	// at a time, until ctx ends or it cannot go on. receive does not keep the
	// bytes, and returns soon.
	Subscribe(ctx context.Context, receive func(message []byte)) error
}

// MaxMessage is the largest message that a Bus must carry, in bytes.
const MaxMessage = 64 << 10
