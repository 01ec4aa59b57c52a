package redundancy

import (
	"context"
	"errors"
	"net"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// connect is the default Prober: it connects to the peer's address, and hangs up
// (S4.25).
func connect(ctx context.Context, peer cluster.Member) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", peer.Address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// probing is the probing of one life of one peer.
type probing struct {
	peer cluster.Member
	call *caller
	stop context.CancelFunc
}

// probe tries the peer once. ok is false when the prober broke, or was told to end,
// which says nothing about the peer.
func (p *probing) probe(ctx context.Context, try Prober) (outcome ProbeOutcome, err error, ok bool) {
	err = p.call.do(ctx, func(ctx context.Context) error { return try(ctx, p.peer) })
	switch {
	case ctx.Err() != nil:
		return 0, nil, false
	case err == nil:
		return ProbeOK, nil, true
	case errors.Is(err, errBroken):
		return 0, err, false
	case errors.Is(err, errTimeout):
		return ProbeTimeout, err, true
	default:
		return ProbeFailed, err, true
	}
}
