package node

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/examples/pair/device"
)

// work writes to the device for as long as ctx lasts. A node that stands by tries
// in vain, which costs it a look at its memory.
func (n *Node) work(ctx context.Context) {
	tick := time.NewTicker(n.config.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := n.write(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, cluster.ErrNotActive) {
			n.config.Logger.Warn("a write failed", "error", err)
		}
	}
}

// write is one unit of work. It asks the gate, works with the context that the
// gate returns, which ends before another node may act, and shows the token to
// the device, which knows better than any deadline whether that was in time.
//
// It is not broken off because the node stops, or a client has hung up: what was
// sent may arrive all the same, and then after the first write of the next owner.
// A node that leaves waits for it instead.
func (n *Node) write(ctx context.Context) error {
	ctx, release, err := n.Gate.Acquire(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer release()
	token, _ := cluster.Token(ctx)
	return n.config.Device.Write(ctx, token, n.config.Address)
}

// serveOrder is work that comes in over HTTP, behind the gate as well.
func (n *Node) serveOrder(w http.ResponseWriter, r *http.Request) {
	switch err := n.write(r.Context()); {
	case err == nil:
		_, _ = w.Write([]byte("done by " + n.config.Address + "\n"))
	case errors.Is(err, cluster.ErrNotActive), errors.Is(err, device.ErrStale):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "another node is active", http.StatusServiceUnavailable)
	default:
		n.config.Logger.Warn("a request failed", "error", err)
		http.Error(w, "the device did not answer", http.StatusBadGateway)
	}
}
