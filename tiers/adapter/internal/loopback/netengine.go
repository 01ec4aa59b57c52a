package loopback

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head"
)

// netEngine serves from package net, on systems for which there is no engine of
// their own: see the package's documentation for how it differs.
type netEngine struct {
	*service
	listener *net.TCPListener
	woken    chan struct{}
	running  sync.WaitGroup
	oneReply sync.Mutex

	mu    sync.Mutex
	conns []*netConn // the oldest first, at most slots
}

// netConn is a connection and the goroutine that has it.
type netConn struct {
	*net.TCPConn
	replied bool // guarded by netEngine.mu
}

func newNetEngine(s *service) (engine, error) {
	network := "tcp4"
	if s.config.Listen.Addr().Is6() {
		network = "tcp6"
	}
	l, err := net.ListenTCP(network, net.TCPAddrFromAddrPort(s.config.Listen))
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return &netEngine{service: s, listener: l, woken: make(chan struct{})}, nil
}

func (e *netEngine) addr() netip.AddrPort {
	own := e.listener.Addr().(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(own.Addr().Unmap(), own.Port())
}

func (e *netEngine) wake() {
	close(e.woken)
	_ = e.listener.Close()
}

// release waits for the goroutines, which end when their connections are closed.
func (e *netEngine) release() {
	_ = e.listener.Close()
	e.mu.Lock()
	for _, c := range e.conns {
		_ = c.Close()
	}
	e.mu.Unlock()
	e.running.Wait()
}

func (e *netEngine) serve() error {
	for {
		c, err := e.listener.AcceptTCP()
		switch {
		case err == nil:
			e.begin(c)
		case errors.Is(err, net.ErrClosed):
			return nil
		case !e.rest():
			return nil
		}
	}
}

// rest leaves the listener alone for a while, and tells whether to go on.
func (e *netEngine) rest() bool {
	e.tally.paused.Add(1)
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.woken:
		return false
	}
}

// begin gives a connection a goroutine.
func (e *netEngine) begin(tcp *net.TCPConn) {
	e.tally.accepted.Add(1)
	peer, ok := tcp.RemoteAddr().(*net.TCPAddr)
	if !ok || !e.config.admits(peer.AddrPort().Addr()) {
		e.tally.foreign.Add(1)
		_ = tcp.Close()
		return
	}
	c := &netConn{TCPConn: tcp}
	e.mu.Lock()
	if len(e.conns) == slots {
		e.evict()
	}
	e.conns = append(e.conns, c)
	e.mu.Unlock()
	e.running.Add(1)
	go func() {
		defer e.running.Done()
		e.converse(c)
		e.forget(c)
	}()
}

// evict closes the oldest connection that has its reply, or else the oldest.
// e.mu is held.
func (e *netEngine) evict() {
	victim := 0
	for i, c := range e.conns {
		if c.replied {
			victim = i
			break
		}
	}
	if !e.conns[victim].replied {
		e.tally.evicted.Add(1)
	}
	_ = e.conns[victim].Close()
	e.conns = append(e.conns[:victim], e.conns[victim+1:]...)
}

// forget closes a connection, unless it was evicted.
func (e *netEngine) forget(c *netConn) {
	_ = c.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.conns {
		if e.conns[i] == c {
			e.conns = append(e.conns[:i], e.conns[i+1:]...)
			return
		}
	}
}

// converse reads a head, replies, and drains.
func (e *netEngine) converse(c *netConn) {
	var data [head.MaxBytes + 1]byte // one more, to see bytes after a head that fills it
	length := 0
	if c.SetDeadline(time.Now().Add(e.patience)) != nil {
		return
	}
	for {
		n, err := c.Read(data[length:])
		length += n
		req, status := e.rules.Parse(data[:length])
		if status == head.More && err == nil {
			continue
		}
		if status == head.More {
			if !errors.Is(err, io.EOF) || length == 0 {
				e.countExpired(err)
				return
			}
			status = head.Malformed
		}
		if e.send(c, req, status) {
			_, _ = io.CopyN(io.Discard, c, drainBytes)
		}
		return
	}
}

// countExpired counts a head that took too long. Its eviction was counted before.
func (e *netEngine) countExpired(err error) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		e.tally.expired.Add(1)
	}
}

// send writes the reply, one at a time, and says that nothing follows it.
func (e *netEngine) send(c *netConn, req head.Request, status head.Status) bool {
	e.oneReply.Lock()
	defer e.oneReply.Unlock()
	if c.SetDeadline(time.Now().Add(e.patience)) != nil {
		return false
	}
	if _, err := c.Write(e.reply(req, status)); err != nil || c.CloseWrite() != nil {
		return false
	}
	e.mu.Lock()
	c.replied = true
	e.mu.Unlock()
	return true
}
