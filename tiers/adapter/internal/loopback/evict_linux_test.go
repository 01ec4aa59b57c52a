package loopback

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestEvictedIsReadOnceMore fills the table with clients of which the oldest has
// asked since it was last read, and wants that one answered before its place is
// given away; the next has said nothing, and is evicted.
func TestEvictedIsReadOnceMore(t *testing.T) {
	s, err := Listen(testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	e := s.engine.(*pollEngine)
	now := time.Now()
	var clients [slots]int
	for i := range clients {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		clients[i] = pair[0]
		defer closeAll(pair[0])
		e.table.slots[i].open(pair[1], e.table.next(), now.Add(deadline))
	}
	if _, err := unix.Write(clients[0], []byte(goodRequest(s))); err != nil {
		t.Fatal(err)
	}
	received := func(client int) string {
		var reply [maxReply]byte
		n, _ := unix.Read(client, reply[:])
		return string(reply[:max(n, 0)])
	}
	first := e.place(now)
	if first.fd != none || !strings.HasPrefix(received(clients[0]), "HTTP/1.1 200 OK\r\n") || s.Counters().Evicted != 0 {
		t.Errorf("the one that has asked: evicted %d", s.Counters().Evicted)
	}
	first.open(openAnything(t), e.table.next(), now.Add(deadline))
	second := e.place(now)
	if second.fd != none || received(clients[1]) != "" || s.Counters().Evicted != 1 {
		t.Errorf("the one that has not: evicted %d", s.Counters().Evicted)
	}
}
