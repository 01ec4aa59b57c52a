package redundancy

import (
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// visitors are the connections of an agent. The zero visitors are none.
type visitors struct {
	mu      sync.Mutex
	present []*visitor // the oldest first
	greeted sync.WaitGroup
}

// visitor is one of them. Its address is its identity: connections need not be
// comparable.
type visitor struct{ net.Conn }

// receive tells conn the line and sends it away, in a goroutine of its own. It never
// blocks.
func (v *visitors) receive(conn net.Conn, line string) {
	_ = conn.SetDeadline(time.Now().Add(agentPatience)) // before it can be made to leave
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.present) >= agentVisitors {
		leave(v.present[0])
		v.present = slices.Delete(v.present, 0, 1)
	}
	guest := &visitor{conn}
	v.present = append(v.present, guest)
	v.greeted.Add(1)
	go contain(
		func() error { return greet(conn, line) },
		func(error) { // a client that did not listen has nobody to complain to
			defer v.greeted.Done()
			v.forget(guest)
		})
}

// greet says the line. To close while something is unread, as what HAProxy's
// agent-send sends, would reset the connection, and the line could be lost with it.
// So it says that no more will come and reads past what there is, until the client
// closes.
func greet(conn net.Conn, line string) error {
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, line); err != nil {
		return err
	}
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	if err := half.CloseWrite(); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, conn, agentChatter)
	return err
}

// leave ends what a connection waits for. Unlike Close it never blocks.
func leave(conn net.Conn) { _ = conn.SetDeadline(time.Unix(1, 0)) }

func (v *visitors) forget(guest *visitor) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.present, guest); i >= 0 {
		v.present = slices.Delete(v.present, i, i+1)
	}
}

// dismiss makes all leave, and returns when they have.
func (v *visitors) dismiss() {
	v.mu.Lock()
	for _, guest := range v.present {
		leave(guest)
	}
	v.mu.Unlock()
	v.greeted.Wait()
}
