package redundancy

import (
	"maps"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// witnessLasts is for how long a result of a probe counts, its last nanosecond
// included (S4.12).
const witnessLasts = 30 * time.Second

// probeResult is what one node found when it tried the endpoint of another.
type probeResult struct {
	prober, probed cluster.Key
	// sequence counts what this life of the prober has found about the probed, or
	// about all; it only grows.
	sequence uint64
	ok       bool
	at       time.Time // on the prober's calendar, for people
}

// concerns tells whether the result is about the node that v belongs to, and comes
// from somebody whose word counts: another member of its view with the role.
func (r probeResult) concerns(v *cluster.View, role string) bool {
	return v != nil && r.probed == v.Self && mayTestify(v, role)(r.prober)
}

// mayTestify returns whose word counts in a view.
func mayTestify(v *cluster.View, role string) func(prober cluster.Key) bool {
	return func(prober cluster.Key) bool {
		m, member := v.Member(prober)
		return member && prober.Address != v.Self.Address && present(m, role)
	}
}

// witnesses keep what peers have found about this node's endpoint: the newest of each
// prober, by the prober's own count. The zero witnesses have found nothing. All
// methods may be called by any goroutine.
type witnesses struct {
	mu     sync.Mutex
	newest map[cluster.Key]testimony // by prober
}

// testimony is a result and when it came in, on this node's own clock.
type testimony struct {
	sequence uint64
	ok       bool
	at       cluster.Instant
}

// keep keeps a result that came in at now, and tells whether it is news.
func (w *witnesses) keep(r probeResult, now cluster.Instant) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.sequence <= w.newest[r.prober].sequence {
		return false
	}
	if w.newest == nil {
		w.newest = make(map[cluster.Key]testimony)
	}
	w.newest[r.prober] = testimony{r.sequence, r.ok, now}
	return true
}

// forget drops the results of probers that do not count any more.
func (w *witnesses) forget(counts func(prober cluster.Key) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.newest, func(prober cluster.Key, _ testimony) bool { return !counts(prober) })
}

// reach is what they say together at now (X16): one who got through lately outweighs
// all who did not, since what those tried may be broken on their side.
func (w *witnesses) reach(now cluster.Instant) Reach {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := ReachUnknown
	for _, t := range w.newest {
		switch {
		case now.Sub(t.at) > witnessLasts:
		case t.ok:
			return Reachable
		default:
			found = Unreachable
		}
	}
	return found
}
