package loopback

import (
	"bufio"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/head/headtest"
)

// TestEveryRow sends every request in one piece, and byte by byte (faults 33, 34,
// 35).
func TestEveryRow(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		s := start(t, testConfig(), long, with)
		for _, row := range headtest.Rows(s.Addr().String()) {
			checkReply(t, row, exchange(t, s, row, len(row.Raw)), row.Code)
			checkReply(t, row, exchange(t, s, row, 1), row.Code, row.Early)
		}
		if c := s.Counters(); c.Evicted+c.Expired+c.ForeignPeers+c.Paused > 0 {
			t.Errorf("not every request was replied to: %+v", c)
		}
	})
}

// TestUnwellIs503 sends what deserves 200 while nothing is well.
func TestUnwellIs503(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		for name, ok := range map[string]func(int) bool{"no": func(int) bool { return false }, "nobody to ask": nil} {
			c := testConfig()
			c.OK = ok
			s := start(t, c, long, with)
			for _, row := range headtest.Rows(s.Addr().String()) {
				if row.Code == 200 {
					row.Name += ", " + name
					checkReply(t, row, exchange(t, s, row, len(row.Raw)), 503)
				}
			}
		}
	})
}

// exchange sends a request in pieces and returns all that comes back.
func exchange(t *testing.T, s *Server, row headtest.Row, piece int) string {
	t.Helper()
	c := dial(t, s)
	defer func() { _ = c.Close() }()
	for part := range slices.Chunk([]byte(row.Raw), piece) {
		if _, err := c.Write(part); err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
	}
	if row.Cut {
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	reply, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("%s: %v after %q", row.Name, err, reply)
	}
	return string(reply)
}

// bodies are what replies say, by code; "Refused" if not here.
var bodies = map[int]string{200: `{"status":"Healthy"}`, 503: `{"status":"Unhealthy"}`}

// checkReply holds a reply to everything that A5 says, and to one of the codes.
func checkReply(t *testing.T, row headtest.Row, reply string, codes ...int) {
	t.Helper()
	method := "GET"
	if row.Head() {
		method = "HEAD"
	}
	reader := bufio.NewReader(strings.NewReader(reply))
	got, err := http.ReadResponse(reader, &http.Request{Method: method})
	if err != nil {
		t.Errorf("%s: %v: %q", row.Name, err, reply)
		return
	}
	body, err := io.ReadAll(got.Body)
	if err != nil || reader.Buffered() > 0 {
		t.Errorf("%s: not exactly one reply: %v: %q", row.Name, err, reply)
	}
	if !slices.Contains(codes, got.StatusCode) || got.StatusCode == 0 {
		t.Errorf("%s: %d, want one of %d", row.Name, got.StatusCode, codes)
	}
	want := bodies[got.StatusCode]
	if want == "" {
		want = `{"status":"Refused"}`
	}
	if got.ContentLength != int64(len(want)) {
		t.Errorf("%s: Content-Length %d, want %d", row.Name, got.ContentLength, len(want))
	}
	if row.Head() {
		want = ""
	}
	if string(body) != want || len(reply) >= maxReply {
		t.Errorf("%s: %d bytes with body %q, want %q", row.Name, len(reply), body, want)
	}
	checkFields(t, row, got)
}

// checkFields wants exactly the fields there should be.
func checkFields(t *testing.T, row headtest.Row, got *http.Response) {
	t.Helper()
	want := http.Header{
		"Content-Type":           {"application/json"},
		"Content-Length":         {got.Header.Get("Content-Length")},
		"Cache-Control":          {"no-store"},
		"X-Content-Type-Options": {"nosniff"},
	}
	if got.StatusCode == http.StatusMethodNotAllowed {
		want["Allow"] = []string{"GET, HEAD"}
	}
	got.Header.Del("Connection") // ReadResponse has moved it to Close
	if !maps.EqualFunc(got.Header, want, slices.Equal[[]string]) || !got.Close {
		t.Errorf("%s: fields %v, close %t; want %v", row.Name, got.Header, got.Close, want)
	}
	if got.Status != strings.TrimSpace(got.Status[:4]+http.StatusText(got.StatusCode)) {
		t.Errorf("%s: status %q has more than the standard phrase", row.Name, got.Status)
	}
}

// TestReplyTellsThePresent asks for the path when the head is complete, not
// before.
func TestReplyTellsThePresent(t *testing.T) {
	everyEngine(t, func(t *testing.T, with func(*service) (engine, error)) {
		asked := make(chan int, 1)
		c := testConfig()
		c.OK = func(path int) bool { asked <- path; return path == 1 }
		s := start(t, c, long, with)
		for path, target := range headtest.Paths {
			conn := dial(t, s)
			send(t, conn, "GET "+target+" HTTP/1.1\r\nHost: "+s.Addr().String()+"\r\n\r")
			await(t, "the head is there", func() bool { return s.Counters().Accepted == uint64(path)+1 })
			select {
			case <-asked:
				t.Fatal("asked before the head was complete")
			default:
			}
			send(t, conn, "\n")
			reply := rest(t, conn)
			if got := <-asked; got != path {
				t.Errorf("%s: asked for path %d", target, got)
			}
			if strings.Contains(reply, " 200 ") != (path == 1) {
				t.Errorf("%s: %q", target, reply)
			}
		}
		answered := s.Counters().Answered
		if !maps.Equal(answered, map[int]uint64{200: 1, 503: 2}) {
			t.Errorf("counted %v", answered)
		}
	})
}
