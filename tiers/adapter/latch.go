package adapter

// latch remembers that a node has once been ready: what is slow to start must
// not be taken for starting again later. It holds for one life of the node, and
// says nothing about the present (S2.6).
type latch struct {
	instance string
	closed   bool
}

// see takes in what a document of the node said. Another life of the node opens
// the latch.
func (l *latch) see(instance string, ready bool) {
	if l.instance != instance {
		*l = latch{instance: instance}
	}
	l.closed = l.closed || ready
}
