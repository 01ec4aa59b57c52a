package redundancy

import (
	"reflect"
	"slices"
	"sync"
	"time"
)

// publishTimeout is how long a Publisher may take before that counts as a failure.
// It is still not called a second time while the first call is under way: then an
// older level could arrive after a newer one.
const publishTimeout = 2 * time.Second

// outlet brings the service level to whoever is bound. None of its methods waits for
// a Publisher. The zero outlet is ready for use.
type outlet struct {
	outcome func(error) // is told of each call that ended or is late; may be nil

	mu      sync.Mutex
	level   uint8
	known   bool       // a level was shown
	bound   *binding   // nil is nobody
	leaving []*binding // were replaced in the middle of a call
}

// binding is one Publisher and what is known of what it shows.
type binding struct {
	publisher Publisher
	told      uint8
	sure      bool          // it was told, and has not failed since
	returned  chan struct{} // closed at the end of the call under way; nil without one
}

// bind replaces who is told. One that comes back while a call of it is under way
// goes on where it was, so that no two calls of it overlap.
func (o *outlet) bind(p Publisher) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.bound; b != nil {
		if samePublisher(b.publisher, p) {
			return
		}
		if b.returned != nil {
			o.leaving = append(o.leaving, b)
		}
	}
	o.bound = nil
	if p == nil {
		return
	}
	o.bound = &binding{publisher: p}
	if i := slices.IndexFunc(o.leaving, func(b *binding) bool { return samePublisher(b.publisher, p) }); i >= 0 {
		o.bound = o.leaving[i]
		o.leaving = slices.Delete(o.leaving, i, i+1)
	}
	o.tell(o.bound)
}

// samePublisher tells whether two are one. Those that cannot be compared are not.
func samePublisher(a, b Publisher) bool {
	return b != nil && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// show makes level the present one. It is called for every level that is computed,
// at each health tick at least: what the Publisher was told it is not told again,
// but what failed is.
func (o *outlet) show(level uint8) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.level, o.known = level, true
	if o.bound != nil {
		o.tell(o.bound)
	}
}

// tell calls the Publisher when it does not show the present level. The caller holds
// o.mu. The call has a goroutine of its own, since it may end that.
func (o *outlet) tell(b *binding) {
	if !o.known || b.returned != nil || b.sure && b.told == o.level {
		return
	}
	b.returned = make(chan struct{})
	level := o.level
	//nolint:forbidigo // it bounds code of others, which no clock of tests drives
	late := time.AfterFunc(publishTimeout, func() { o.report(errTimeout) })
	go contain(func() error { return b.publisher.PublishServiceLevel(level) }, func(err error) {
		defer o.end(b, level, err) // whatever becomes of the report, which is for a log
		if inTime := late.Stop(); inTime || err == nil {
			o.report(err)
		}
	})
}

// end notes the outcome of a call, and lets the newest level follow. What has failed
// waits for the next level that is shown: a Publisher that fails at once must not
// keep a core busy.
func (o *outlet) end(b *binding, level uint8, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(b.returned)
	b.returned = nil
	b.told, b.sure = level, err == nil
	if b != o.bound {
		o.leaving = slices.DeleteFunc(o.leaving, func(other *binding) bool { return other == b })
		return
	}
	if err == nil || level != o.level {
		o.tell(b)
	}
}

func (o *outlet) report(err error) {
	if o.outcome != nil {
		o.outcome(err)
	}
}

// settle waits until the Publisher shows the present level or has failed to, but not
// longer than the limit: for the last level of a run.
func (o *outlet) settle(limit time.Duration) {
	//nolint:forbidigo // it bounds code of others, which no clock of tests drives
	patience := time.NewTimer(limit)
	defer patience.Stop()
	for {
		o.mu.Lock()
		var returned chan struct{}
		if o.bound != nil {
			returned = o.bound.returned
		}
		o.mu.Unlock()
		if returned == nil {
			return
		}
		select {
		case <-returned:
		case <-patience.C:
			return
		}
	}
}
