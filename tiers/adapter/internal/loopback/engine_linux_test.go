package loopback

import (
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOneGoroutineServesAll is S2.13: connections cost no goroutine.
func TestOneGoroutineServesAll(t *testing.T) {
	s := start(t, testConfig(), long, newEngine)
	ask(t, s, connect(t, s))
	before := runtime.NumGoroutine()
	for range slots {
		connect(t, s)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines with %d connections, %d without", n, slots, before)
	}
}

// TestFigures are those of S2.15 and A6: eight heads of 4 KiB, 0.5 s, and a queue
// of 2.
func TestFigures(t *testing.T) {
	var tb table
	if n := len(tb.slots) * len(tb.slots[0].data); len(tb.slots) != 8 || n != 32<<10 {
		t.Errorf("%d slots of %d bytes together", len(tb.slots), n)
	}
	if deadline != 500*time.Millisecond || backlog != 2 {
		t.Errorf("deadline %v, backlog %d", deadline, backlog)
	}
}

// TestBacklog is S2.15: the kernel takes as many as were asked for and one more,
// and no further ones.
func TestBacklog(t *testing.T) {
	s, err := Listen(testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	waiting, acceptors := listenQueue(t, s.engine.(*pollEngine).listener)
	if waiting != 0 || acceptors != backlog {
		t.Errorf("%d wait in a queue for %d", waiting, acceptors)
	}
	for range backlog + 1 {
		dial(t, s)
	}
	await(t, "the queue is full", func() bool {
		waiting, _ := listenQueue(t, s.engine.(*pollEngine).listener)
		return waiting == backlog+1
	})
	if c, err := net.DialTimeout("tcp", s.Addr().String(), 100*time.Millisecond); err == nil {
		_ = c.Close()
		t.Error("one more than the queue takes was let in")
	}
}

// listenQueue asks the kernel for the length of a listener's queue and its bound.
func listenQueue(t *testing.T, fd int) (waiting, bound int) {
	t.Helper()
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Unacked), int(info.Sacked) // what these are for a listener
}

// TestDeadlineIsExact has a connection live up to its deadline and not at it.
func TestDeadlineIsExact(t *testing.T) {
	e := &pollEngine{service: &service{}, reserve: none}
	e.table.init()
	until := time.Now()
	e.table.slots[3].open(openAnything(t), 1, until)
	e.expire(until.Add(-1))
	if e.table.slots[3].fd == none || e.tally.expired.Load() != 0 {
		t.Error("closed before the deadline")
	}
	e.expire(until)
	if e.table.slots[3].fd != none || e.tally.expired.Load() != 1 {
		t.Error("open at the deadline")
	}
	e.reserve.give()
}

// TestWatchSleepsUntilTheNextDeadline and not a moment less, or it would spin.
func TestWatchSleepsUntilTheNextDeadline(t *testing.T) {
	e := &pollEngine{service: &service{}, reserve: none}
	e.table.init()
	now := time.Now()
	var fds [2 + slots]unix.PollFd
	for _, tc := range []struct {
		slot, resume time.Duration // 0: none
		want         int
	}{
		{0, 0, -1},
		{500 * time.Millisecond, 0, 500},
		{time.Nanosecond, 0, 1},
		{time.Millisecond + 1, 0, 2},
		{-time.Second, 0, 0},
		{0, pause, 50},
		{20 * time.Millisecond, pause, 20},
		{80 * time.Millisecond, pause, 50},
	} {
		e.table.slots[0].fd, e.table.slots[0].until, e.resume = none, time.Time{}, time.Time{}
		if tc.slot != 0 {
			e.table.slots[0].fd, e.table.slots[0].until = 9, now.Add(tc.slot)
		}
		if tc.resume != 0 {
			e.resume = now.Add(tc.resume)
		}
		if got := e.watch(&fds, now); got != tc.want {
			t.Errorf("slot %v, resume %v: %d ms, want %d", tc.slot, tc.resume, got, tc.want)
		}
		if (fds[1].Fd == none) != (tc.resume != 0) {
			t.Errorf("resume %v: listener polled as %d", tc.resume, fds[1].Fd)
		}
	}
}

// openAnything returns a descriptor that the code under test will close.
func openAnything(t *testing.T) int {
	t.Helper()
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestDescriptorsAreNotInherited looks at every descriptor that a server opens.
func TestDescriptorsAreNotInherited(t *testing.T) {
	s := start(t, testConfig(), long, newEngine)
	connect(t, s)
	e := s.engine.(*pollEngine)
	fds := []int{e.listener, e.wakeup, int(e.reserve)}
	for _, fd := range fds {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %#x, %v", fd, flags, err)
		}
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		link, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err != nil || !strings.HasPrefix(link, "socket:") {
			continue
		}
		info, err := os.ReadFile("/proc/self/fdinfo/" + entry.Name())
		if err == nil && !strings.Contains(string(info), "flags:\t02") {
			t.Errorf("socket %s may be inherited: %s", entry.Name(), info)
		}
	}
}

// TestOnlyTheConfiguredPeer connects from two loopback addresses.
func TestOnlyTheConfiguredPeer(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		c := testConfig()
		c.Peer = netip.MustParseAddr("127.0.0.2")
		s := start(t, c, long, with)
		for _, tc := range []struct{ from, want string }{
			{"127.0.0.1", ""},
			{"127.0.0.2", "HTTP/1.1 200 OK\r\n"},
			{"127.0.0.3", ""},
		} {
			reply := askFrom(t, s, tc.from)
			if !strings.HasPrefix(reply, tc.want) || (reply == "") != (tc.want == "") {
				t.Errorf("from %s: %q", tc.from, reply)
			}
		}
		if c := s.Counters(); c.ForeignPeers != 2 || c.Accepted != 3 {
			t.Errorf("counted %+v", c)
		}
	})
}

// askFrom sends a good request from an address and returns what comes back,
// nothing for a reset.
func askFrom(t *testing.T, s *Server, from string) string {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: long}
	c, err := d.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(long)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, goodRequest(s))
	reply, _ := io.ReadAll(c)
	return string(reply)
}

// TestAcceptErrors sorts what accept may say.
func TestAcceptErrors(t *testing.T) {
	for err, want := range map[unix.Errno]string{
		unix.EMFILE: "starved", unix.ENFILE: "starved",
		unix.EAGAIN: "gone", unix.ECONNABORTED: "gone", unix.EINTR: "gone",
		unix.EBADF: "broken", unix.EINVAL: "broken", unix.ENOTSOCK: "broken",
		unix.ENOBUFS: "passing", unix.ENOMEM: "passing", unix.EPERM: "passing", unix.EPROTO: "passing", unix.EOPNOTSUPP: "passing",
	} {
		got := "passing"
		switch {
		case starved(err):
			got = "starved"
		case gone(err):
			got = "gone"
		case broken(err):
			got = "broken"
		}
		if got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}

// TestBrokenListenerEndsServe instead of spinning on it.
func TestBrokenListenerEndsServe(t *testing.T) {
	s, err := Listen(testConfig())
	if err != nil {
		t.Fatal(err)
	}
	e := s.engine.(*pollEngine)
	if err := unix.Shutdown(e.listener, unix.SHUT_RD); err != nil { // no longer listening
		t.Fatal(err)
	}
	err = s.Serve()
	if err == nil || !strings.HasPrefix(err.Error(), "adapter: serve 127.0.0.1:") {
		t.Errorf("Serve: %v", err)
	}
	if err := s.Serve(); err != nil {
		t.Errorf("Serve once more: %v", err)
	}
}
