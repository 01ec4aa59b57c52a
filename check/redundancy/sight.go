package redundancy

import (
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// sight is one look at the cluster. The clock was read before the view, see
// cluster.Decide.
type sight struct {
	now  cluster.Instant
	view *cluster.View
}

// look asks the source. One that panics shows nothing, which denies.
func look(src cluster.Source) (s sight) {
	defer func() {
		if recover() != nil {
			s = sight{}
		}
	}()
	s.now = src.Now()
	s.view = src.View()
	return s
}

// changed returns the channel that tells of the next view; nil, which never tells,
// when the source panics.
func changed(src cluster.Source) (c <-chan struct{}) {
	defer func() {
		if recover() != nil {
			c = nil
		}
	}()
	return src.Changed()
}

// turns returns for how long the view says the same, when nothing but the time
// changes: until its fence, or until a member that was removed before its time has
// stopped for sure. ok is false when that is for ever.
func (s sight) turns() (in time.Duration, ok bool) {
	if s.view == nil || s.view.State != cluster.Available {
		return 0, false
	}
	sooner := func(at cluster.Instant) {
		if left := at.Sub(s.now); left > 0 && (!ok || left < in) {
			in, ok = left, true
		}
	}
	sooner(s.view.ValidUntil)
	for _, m := range s.view.Members {
		sooner(m.HoldUntil)
	}
	return in, ok
}

// self returns this node's member; the zero Member, which is down, when it is not
// among them.
func (s sight) self() cluster.Member {
	if s.view == nil {
		return cluster.Member{}
	}
	m, _ := s.view.Member(s.view.Self)
	return m
}
