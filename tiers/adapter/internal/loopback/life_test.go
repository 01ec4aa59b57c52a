package loopback

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestListenRefuses(t *testing.T) {
	for _, tc := range []struct{ listen, peer, want string }{
		{"0.0.0.0:0", "", "adapter: listen 0.0.0.0:0: must be a loopback address"},
		{"[::]:0", "", "adapter: listen [::]:0: must be a loopback address"},
		{"192.0.2.1:80", "", "adapter: listen 192.0.2.1:80: must be a loopback address"},
		{"[::ffff:192.0.2.1]:80", "", "adapter: listen 192.0.2.1:80: must be a loopback address"},
		{"169.254.1.1:80", "", "adapter: listen 169.254.1.1:80: must be a loopback address"},
		{"[::1%lo]:80", "", "adapter: listen [::1%lo]:80: must be a loopback address"},
		{"", "", "adapter: listen invalid AddrPort: must be a loopback address"},
		{"127.0.0.1:0", "192.0.2.1", "adapter: peer 192.0.2.1: must be a loopback address"},
		{"127.0.0.1:0", "0.0.0.0", "adapter: peer 0.0.0.0: must be a loopback address"},
		{"127.0.0.1:0", "::1%lo", "adapter: peer ::1%lo: must be a loopback address"},
	} {
		var c Config
		if tc.listen != "" {
			c.Listen = netip.MustParseAddrPort(tc.listen)
		}
		if tc.peer != "" {
			c.Peer = netip.MustParseAddr(tc.peer)
		}
		s, err := Listen(c)
		if err == nil || err.Error() != tc.want {
			t.Errorf("listen %s for %s: %v, want %s", tc.listen, tc.peer, err, tc.want)
			s.Stop()
		}
	}
}

// TestListenTakesPlainForms has an IPv4 address written as IPv6.
func TestListenTakesPlainForms(t *testing.T) {
	c := testConfig()
	c.Listen = netip.MustParseAddrPort("[::ffff:127.0.0.1]:0")
	c.Peer = netip.MustParseAddr("::ffff:127.0.0.1")
	s, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	if a := s.Addr().Addr(); a.String() != "127.0.0.1" {
		t.Errorf("bound to %v", a)
	}
	ask(t, s, dial(t, s))
}

func TestAdmits(t *testing.T) {
	for _, tc := range []struct {
		peer, from string
		want       bool
	}{
		{"", "127.0.0.1", true},
		{"", "127.255.255.254", true},
		{"", "::ffff:127.0.0.9", true},
		{"", "::1", true},
		{"", "126.255.255.255", false},
		{"", "128.0.0.1", false},
		{"", "::ffff:10.0.0.1", false},
		{"", "fe80::1", false},
		{"127.0.0.2", "127.0.0.2", true},
		{"127.0.0.2", "::ffff:127.0.0.2", true},
		{"127.0.0.2", "127.0.0.1", false},
		{"127.0.0.2", "::1", false},
	} {
		var c Config
		if tc.peer != "" {
			c.Peer = netip.MustParseAddr(tc.peer)
		}
		if got := c.admits(netip.MustParseAddr(tc.from)); got != tc.want {
			t.Errorf("peer %q, from %s: %t", tc.peer, tc.from, got)
		}
	}
	if (Config{}).admits(netip.Addr{}) {
		t.Error("an unknown address was admitted")
	}
}

// TestPortTaken is fault 47.
func TestPortTaken(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		first := start(t, testConfig(), long, with)
		c := testConfig()
		c.Listen = first.Addr()
		began := time.Now()
		_, err := listen(c, long, with)
		if !errors.Is(err, syscall.EADDRINUSE) || !strings.HasPrefix(err.Error(), "adapter: listen ") ||
			!strings.Contains(err.Error(), first.Addr().String()) {
			t.Errorf("error %v", err)
		}
		t.Logf("after %v: %v", time.Since(began), err)
		first.Stop()
		await(t, "the port is free again", func() bool { return isFree(c.Listen, with) })
	})
}

// isFree tells whether an address can be listened on.
func isFree(addr netip.AddrPort, with func(*service) (engine, error)) bool {
	s, err := listen(Config{Listen: addr}, long, with)
	s.Stop()
	return err == nil
}

// TestStop ends Serve whatever it is doing, and closes everything.
func TestStop(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		for name, prepare := range map[string]func(t *testing.T, s *Server){
			"idle":       func(*testing.T, *Server) {},
			"silent":     func(t *testing.T, s *Server) { connect(t, s) },
			"in a head":  func(t *testing.T, s *Server) { send(t, connect(t, s), "GET ") },
			"in a drain": func(t *testing.T, s *Server) { c := connect(t, s); send(t, c, goodRequest(s)); rest(t, c) },
			"a full table": func(t *testing.T, s *Server) {
				for range slots + 1 {
					connect(t, s)
				}
			},
		} {
			s, err := listen(testConfig(), long, with)
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve() }()
			prepare(t, s)
			began := time.Now()
			var stops sync.WaitGroup
			for range 3 {
				stops.Go(s.Stop)
			}
			if err := <-served; err != nil {
				t.Errorf("%s: Serve: %v", name, err)
			}
			took := time.Since(began)
			t.Logf("%s: stopped after %v", name, took)
			if took > 5*time.Second { // 50 ms are meant, on a machine with nothing else to do
				t.Errorf("%s: stopped after %v", name, took)
			}
			stops.Wait()
			await(t, "the port is free", func() bool { return isFree(s.Addr(), with) })
			s.Stop()
			if err := s.Serve(); err != nil {
				t.Errorf("%s: Serve after Stop: %v", name, err)
			}
		}
	})
}

func TestStopBeforeServe(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s, err := listen(testConfig(), long, with)
		if err != nil {
			t.Fatal(err)
		}
		s.Stop()
		s.Stop()
		if err := s.Serve(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestServeTwice(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		ask(t, s, dial(t, s))
		if err := s.Serve(); !errors.Is(err, errServed) {
			t.Errorf("the second Serve: %v", err)
		}
		ask(t, s, dial(t, s))
	})
}

func TestNilServer(t *testing.T) {
	var s *Server
	s.Stop()
	if err := s.Serve(); err != nil || s.Addr().IsValid() || s.Counters().Accepted != 0 {
		t.Errorf("a nil server: %v, %v", err, s.Addr())
	}
}

func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Logf("this machine has no IPv6 loopback: %v", err)
		return
	}
	_ = l.Close()
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		c := testConfig()
		c.Listen = netip.MustParseAddrPort("[::1]:0")
		s := start(t, c, long, with)
		if s.Addr().Port() == 0 || !strings.HasPrefix(s.Addr().String(), "[::1]:") {
			t.Errorf("bound to %v", s.Addr())
		}
		ask(t, s, dial(t, s))
	})
}
