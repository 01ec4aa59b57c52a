package cluster

// Source is where a node learns who is in its cluster. The drivers of this
// module are Sources, Standalone is one for a node that works alone, and
// clustertest has one for tests. All methods may be called by any goroutine, for
// every request, so they read memory, return at once and start nothing.
type Source interface {
	// Now reads the clock that the instants of the views are on.
	Now() Instant
	// View returns the newest view, and never one that is older than one that
	// it returned before, however late news of that arrives.
	View() *View
	// Changed returns a channel that is closed when View has something new.
	// Ask for it before View, else a change between the two is missed. Several
	// changes may close it once.
	Changed() <-chan struct{}
}

// Tracker is what a Source implements when it leaves its cluster gracefully: it
// waits for the work that was begun under it before it lets another node take
// over. Gate tells it of all work that it admits, and does so before it asks for
// the view that decides: a Source that first changes its view and then waits for
// the count to be 0 has missed none.
type Tracker interface {
	// Track counts one piece of work until done is called; calling done again
	// does nothing.
	Track() (done func())
}
