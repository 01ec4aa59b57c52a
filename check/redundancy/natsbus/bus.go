package natsbus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopvitals/loopvitals/check/redundancy"
)

// Bus carries messages as NATS subjects below a prefix. It is a redundancy.Bus, and
// safe for concurrent use. Make one with New.
type Bus struct {
	conn   *nats.Conn
	prefix string
}

// maxPrefix is in bytes; with the longest topic it is a subject that all servers
// take.
const maxPrefix = 128

// New returns a Bus for the subjects below prefix: 1 to 128 bytes, words of letters,
// digits, - and _, joined by dots. Clusters that share a NATS account need prefixes
// of their own, none of which begins with the words of another. New does not ask
// the servers anything, so they need not be there.
func New(conn *nats.Conn, prefix string) (*Bus, error) {
	if conn == nil {
		return nil, errors.New("natsbus: conn nil: must not be nil")
	}
	if conn.Opts.NoEcho {
		return nil, errors.New("natsbus: conn with NoEcho: must hear what it publishes")
	}
	if !validPrefix(prefix) {
		return nil, fmt.Errorf("natsbus: prefix %.140q: must be words of letters, digits, - and _, joined by dots, 1 to %d bytes", prefix, maxPrefix)
	}
	return &Bus{conn: conn, prefix: prefix + "."}, nil
}

func validPrefix(prefix string) bool {
	if len(prefix) > maxPrefix {
		return false
	}
	letters := 0 // of the present word
	for _, c := range []byte(prefix) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			letters++
		case c == '.' && letters > 0:
			letters = 0
		default:
			return false
		}
	}
	return letters > 0
}

var errNoBus = errors.New("natsbus: bus nil: must be made with New")

// publishLimit is how long Publish waits for a server when its context has no
// deadline.
const publishLimit = 10 * time.Second

// Publish sends a message, and returns when a server has it. It fails at once while
// there is no server.
func (b *Bus) Publish(ctx context.Context, topic string, message []byte) error {
	if b == nil || b.conn == nil {
		return errNoBus
	}
	if err := redundancy.CheckMessage(topic, message); err != nil {
		return explain("publish", err)
	}
	if err := context.Cause(ctx); err != nil {
		return explain("publish", err)
	}
	if status := b.conn.Status(); status != nats.CONNECTED {
		return fmt.Errorf("natsbus: publish: connection %v: must be %v", status, nats.CONNECTED)
	}
	if err := b.conn.Publish(b.prefix+topic, message); err != nil {
		return explain("publish", err)
	}
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	return explain("publish", b.conn.FlushWithContext(ctx))
}

// The messages that wait for one subscriber, in number and bytes. What comes when
// they are full is lost.
const (
	waitingMessages = 256
	waitingBytes    = 4 << 20
)

// Subscribe calls receive for each message until ctx ends or the connection is
// closed. It goes on where a connection broke.
func (b *Bus) Subscribe(ctx context.Context, receive func(message []byte)) error {
	if b == nil || b.conn == nil {
		return errNoBus
	}
	if err := context.Cause(ctx); err != nil {
		return explain("subscribe", err)
	}
	subscription, err := b.conn.SubscribeSync(b.prefix + ">")
	if err != nil {
		return explain("subscribe", err)
	}
	defer func() { _ = subscription.Unsubscribe() }()
	if err := subscription.SetPendingLimits(waitingMessages, waitingBytes); err != nil {
		return explain("subscribe", err)
	}
	for {
		message, err := next(ctx, subscription)
		switch {
		case err == nil:
			receive(message.Data)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil: // look again
		case errors.Is(err, nats.ErrSlowConsumer): // some were lost, and more will come
		case errors.Is(err, nats.ErrNoResponders): // what a stranger made look like an answer of the server
		default:
			return explain("subscribe", err)
		}
	}
}

// lookAgain is how soon Subscribe learns that the servers have refused it: the
// client tells that only to calls that begin afterwards.
const lookAgain = time.Second

func next(ctx context.Context, subscription *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, lookAgain)
	defer cancel()
	return subscription.NextMsgWithContext(ctx)
}

// explain names the operation that failed.
func explain(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("natsbus: %s: %w", operation, err)
}
