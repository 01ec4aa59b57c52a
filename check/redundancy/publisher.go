package redundancy

// Publisher shows the service level to clients, such as by writing it into the
// ServiceLevel variable of an OPC UA server.
//
// It is called in a goroutine of its own, one call at a time, and is never waited
// for: while a call is under way the levels that come are not queued, and the
// newest of them follows. A call that returns an error, panics or ends its goroutine
// is made again at the next health tick, with the level of then.
type Publisher interface {
	PublishServiceLevel(level uint8) error
}

// Bind sets who shows the level from now on (S4.22). Before that, and after
// Bind(nil), nobody is told. Once a level was computed p is told at once, also when
// it is 0 (S4.20, X15); then it is told of each change, once, and never of a value
// that it was told last (S4.21). Whoever was bound before is told no more, but may
// be in the middle of a call.
//
// To bind the Publisher that is bound changes nothing; to have it told once more,
// bind nil first. Bind may be called at any time, also after Run has returned, when
// the level is that of Down. It returns at once.
func (n *Node) Bind(p Publisher) {
	if n != nil {
		n.outlet.bind(p)
	}
}
