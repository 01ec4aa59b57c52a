//go:build system

package loopback

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { roles["foreign"] = foreign }

// outside is an address of documentation, which the new network namespace gives
// to an interface of its own.
const outside = "192.0.2.1"

// visit is one connection of the helper: from where to where, and what came back.
type visit struct{ From, To, Reply string }

// foreign serves in a network namespace of its own, once on the loopback address
// and once, past all validation, on the other, and visits both from both.
func foreign([]string) error {
	if err := configure("lo", "127.0.0.1"); err != nil {
		return fmt.Errorf("lo: %w", err)
	}
	if err := configure("lo:1", outside); err != nil {
		return fmt.Errorf("lo:1: %w", err)
	}
	var visits []visit
	var counted []Counters
	for _, to := range []string{"127.0.0.1", outside} {
		c := testConfig()
		c.Listen = netip.AddrPortFrom(netip.MustParseAddr(to), 0)
		s, err := listen(c, deadline, newEngine)
		if err != nil {
			return err
		}
		served := make(chan error, 1)
		go func() { served <- s.Serve() }()
		for _, from := range []string{"127.0.0.1", outside} {
			reply, err := visitFrom(s, from)
			if err != nil {
				return err
			}
			visits = append(visits, visit{from, to, reply})
		}
		counted = append(counted, s.Counters())
		s.Stop()
		if err := <-served; err != nil {
			return err
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(visits); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(counted); err != nil {
		return err
	}
	_, err := bufio.NewReader(os.Stdin).ReadByte()
	if err == io.EOF {
		return nil
	}
	return err
}

// configure gives an interface an address and brings it up.
func configure(name, addr string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer closeAll(fd)
	request, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	ip := netip.MustParseAddr(addr).As4()
	if err := request.SetInet4Addr(ip[:]); err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFADDR, request); err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// visitFrom sends a good request from an address.
func visitFrom(s *Server, from string) (string, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: long}
	c, err := d.Dial("tcp", s.Addr().String())
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, goodRequest(s))
	reply, _ := io.ReadAll(c) // an error is a reset, which is no reply either
	return string(reply), nil
}

// TestSystemForeignPeer is fault 36: a connection from an address that is not a
// loopback one is dropped without a word and counted, whatever address it is to.
func TestSystemForeignPeer(t *testing.T) {
	p := newHelperIn(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}, "foreign")
	defer p.end()
	var visits []visit
	if err := json.Unmarshal([]byte(p.line()), &visits); err != nil {
		t.Fatal(err)
	}
	if len(visits) != 4 {
		t.Fatalf("%d visits", len(visits))
	}
	for _, v := range visits {
		if v.From == outside && v.Reply != "" {
			t.Errorf("from %s to %s: %q", v.From, v.To, v.Reply)
		}
		if v.From != outside && !strings.HasPrefix(v.Reply, "HTTP/1.1 200 OK\r\n") {
			t.Errorf("from %s to %s: %q", v.From, v.To, v.Reply)
		}
	}
	var counted []Counters
	if err := json.Unmarshal([]byte(p.line()), &counted); err != nil {
		t.Fatal(err)
	}
	for _, c := range counted {
		if c.Accepted != 2 || c.ForeignPeers != 1 || c.Answered[200] != 1 {
			t.Errorf("counted %+v", c)
		}
	}
	t.Logf("%+v", counted)
}
