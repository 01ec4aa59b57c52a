package loopback

import "sync/atomic"

// Counters are what a server has done since it was made.
type Counters struct {
	Accepted     uint64         // connections, those of foreign peers included
	ForeignPeers uint64         // closed at once: the peer may not connect
	Evicted      uint64         // closed without a reply: a newcomer needed the slot
	Expired      uint64         // closed without a reply: the head took too long
	Starved      uint64         // times that there was no descriptor for a newcomer
	Paused       uint64         // times that the listener was left alone for a while
	Answered     map[int]uint64 // replies by code, of those that occurred
}

// tally is the living form of Counters.
type tally struct {
	accepted, foreign, evicted, expired, starved, paused atomic.Uint64
	answered                                             [len(codes)]atomic.Uint64
}

func (t *tally) counters() Counters {
	c := Counters{
		Accepted:     t.accepted.Load(),
		ForeignPeers: t.foreign.Load(),
		Evicted:      t.evicted.Load(),
		Expired:      t.expired.Load(),
		Starved:      t.starved.Load(),
		Paused:       t.paused.Load(),
		Answered:     make(map[int]uint64),
	}
	for i, code := range codes {
		if n := t.answered[i].Load(); n > 0 {
			c.Answered[code] = n
		}
	}
	return c
}
