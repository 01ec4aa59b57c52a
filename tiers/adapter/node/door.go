package node

import (
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// away is how long an owner may be away from Accept and still count as running.
// The loop of net/http waits up to a second when the process is out of files.
const away = 2 * time.Second

// door is a listener of an Ingress that knows whether somebody accepts from it.
type door struct {
	*limited
	name, owner string
	epoch       time.Time // what left counts from, monotonic

	inside atomic.Int32 // calls of Accept in progress
	left   atomic.Int64 // when the last one ended, since the epoch; 0 is never
	closed atomic.Bool
}

func newDoor(name, owner string, l net.Listener, s slots) *door {
	return &door{limited: newLimited(l, s), name: name, owner: owner, epoch: time.Now().Add(-1)}
}

// Accept waits for a connection, then for room.
func (d *door) Accept() (net.Conn, error) {
	d.inside.Add(1)
	conn, err := d.limited.Accept()
	d.left.Store(int64(time.Since(d.epoch)))
	d.inside.Add(-1)
	if errors.Is(err, net.ErrClosed) {
		d.closed.Store(true) // also when somebody closed what is inside
	}
	return conn, err
}

// Close closes the listener.
func (d *door) Close() error {
	d.closed.Store(true)
	return d.limited.Close()
}

// live tells whether the door is open and its owner running.
func (d *door) live() bool {
	if d.closed.Load() {
		return false
	}
	if d.inside.Load() > 0 {
		return true
	}
	left := d.left.Load()
	return left > 0 && time.Since(d.epoch)-time.Duration(left) <= away
}

func (d *door) describe() observation.Listener {
	address := d.Addr().String()
	if !observation.ValidName(address) {
		address = d.Addr().Network() // a unix socket may have no name, or one that is not text
	}
	return observation.Listener{Name: d.name, Address: address, Owner: d.owner, Live: d.live()}
}
