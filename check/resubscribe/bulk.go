package resubscribe

import "context"

// BulkSupervisory is the capability of a peer that adds and advises any number of
// items, supervised, in one request. Only a peer that names it is sent one: others
// would ignore the flag, advise plainly, and say that all went well (S3.18).
const BulkSupervisory = "bulk-subscribe-supervisory"

// DefaultParallel is how many requests of a Subscriber may be under way unless
// told otherwise (S3.20).
const DefaultParallel = 16

// Handle is what the peer calls an item that was added.
type Handle int64

// Added is what the peer did about one item. The handle counts without an error
// only.
type Added struct {
	Handle Handle
	Err    error
}

// Client sends requests of one session to the peer. Each method is one request,
// returns when its context ends, and may be called from several goroutines. A
// method that panics, ends its goroutine, or returns another number of answers
// than there are items has failed for all items that it was called with. One that
// stays when its context has ended costs its goroutine, and one of the parallel
// requests, until it returns.
type Client interface {
	// Add adds the items and returns one answer for each, in their order. To add
	// an item once more is no error: a request whose answer was lost is repeated.
	Add(ctx context.Context, items []string) ([]Added, error)
	// AdviseSupervisory asks for the changes of one item, supervised.
	AdviseSupervisory(ctx context.Context, handle Handle) error
	// Subscribe adds and advises the items, in one request, and returns one
	// answer for each, in their order.
	Subscribe(ctx context.Context, items []string, supervisory bool) ([]Added, error)
}
