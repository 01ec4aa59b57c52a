package node

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// patience is how long a test waits for what comes soon, on a slow machine, too.
const patience = 30 * time.Second

func dial(t *testing.T, socket string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// exchange sends bytes and returns everything that comes back until the end.
func exchange(t *testing.T, socket, request string) []byte {
	t.Helper()
	conn := dial(t, socket)
	// The server may have answered and closed before it has read everything.
	_, _ = io.WriteString(conn, request)
	text, err := io.ReadAll(conn)
	if err != nil && len(text) == 0 {
		t.Errorf("%.60q: %v", request, err)
	}
	return text
}

const (
	get  = "GET /observation HTTP/1.1\r\nHost: node\r\n"
	auth = "Authorization: Bearer " + secret + "\r\n"
)

// TestRequests tries what a client may send. Whatever is not the one request is
// answered with the same bytes, so that nothing is told.
func TestRequests(t *testing.T) {
	socket, _ := serving(t, goodSource())
	refused := stamp.ReplaceAllString(string(exchange(t, socket, get+"\r\n")), "")
	if !strings.HasPrefix(refused, "HTTP/1.1 404 Not Found\r\n") || !strings.HasSuffix(refused, "\r\n\r\n") {
		t.Fatalf("%q", refused)
	}
	for name, tt := range map[string]struct {
		request string
		code    string // 404 is the very bytes of above
	}{
		"the request":             {get + auth + "\r\n", "200"},
		"HTTP/1.0":                {"GET /observation HTTP/1.0\r\n" + auth + "\r\n", "200"},
		"keep-alive":              {get + auth + "Connection: keep-alive\r\n\r\n", "200"},
		"expect":                  {get + auth + "Expect: 100-continue\r\n\r\n", "200"},
		"upgrade":                 {get + auth + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", "200"},
		"a body that never comes": {get + auth + "Content-Length: 5\r\n\r\n", "200"},
		"with a body":             {get + auth + "Content-Length: 5\r\n\r\nhello", "200"},
		"no token":                {get + "\r\n", "404"},
		"empty token":             {get + "Authorization: Bearer \r\n\r\n", "404"},
		"wrong token":             {get + "Authorization: Bearer " + strings.Repeat("x", len(secret)) + "\r\n\r\n", "404"},
		"a part of it":            {get + "Authorization: Bearer " + secret[:len(secret)-1] + "\r\n\r\n", "404"},
		"more than it":            {get + "Authorization: Bearer " + secret + "x\r\n\r\n", "404"},
		"the token alone":         {get + "Authorization: " + secret + "\r\n\r\n", "404"},
		"another scheme":          {get + "Authorization: Basic " + secret + "\r\n\r\n", "404"},
		"scheme in small":         {get + "Authorization: bearer " + secret + "\r\n\r\n", "404"},
		"two spaces":              {get + "Authorization: Bearer  " + secret + "\r\n\r\n", "404"},
		"token twice":             {get + auth + auth + "\r\n", "404"},
		"token and another":       {get + auth + "Authorization: Bearer x\r\n\r\n", "404"},
		"another header":          {get + "X-Authorization: Bearer " + secret + "\r\n\r\n", "404"},
		"long token":              {get + "Authorization: Bearer " + strings.Repeat("x", 4096) + "\r\n\r\n", "404"},
		"token in the query":      {"GET /observation?token=" + secret + " HTTP/1.1\r\nHost: node\r\n\r\n", "404"},
		"query":                   {"GET /observation? HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"root":                    {"GET / HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"health":                  {"GET /healthz HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"debug":                   {"GET /debug/pprof/ HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"slash at the end":        {"GET /observation/ HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"two slashes":             {"GET //observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"dots":                    {"GET /x/../observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"escaped":                 {"GET /%6fbservation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"capital":                 {"GET /Observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"absolute":                {"GET http://node/observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"POST":                    {"POST /observation HTTP/1.1\r\nHost: node\r\n" + auth + "Content-Length: 0\r\n\r\n", "404"},
		"PUT":                     {"PUT /observation HTTP/1.1\r\nHost: node\r\n" + auth + "Content-Length: 0\r\n\r\n", "404"},
		"HEAD":                    {"HEAD /observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"TRACE":                   {"TRACE /observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"OPTIONS":                 {"OPTIONS /observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"OPTIONS *":               {"OPTIONS * HTTP/1.1\r\nHost: node\r\n\r\n", "404"},
		"CONNECT":                 {"CONNECT node:443 HTTP/1.1\r\nHost: node:443\r\n" + auth + "\r\n", "404"},
		"get in small":            {"get /observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"an unknown method":       {"BREW /observation HTTP/1.1\r\nHost: node\r\n" + auth + "\r\n", "404"},
		"head too long":           {get + auth + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", "431"},
		"no host":                 {"GET /observation HTTP/1.1\r\n" + auth + "\r\n", "400"},
		"no HTTP":                 {"hello\r\n\r\n", "400"},
		"a record of TLS":         {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"},
		"injection in the token":  {get + "Authorization: Bearer " + secret + "\rX: y\r\n\r\n", "400"},
	} {
		t.Run(name, func(t *testing.T) {
			text := exchange(t, socket, tt.request)
			if count := bytes.Count(text, []byte("HTTP/1.")); count != 1 && name != "expect" {
				t.Errorf("%d answers: %q", count, text)
			}
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("the token: %q", text)
			}
			switch tt.code {
			case "404":
				if got := stamp.ReplaceAllString(string(text), ""); got != refused {
					t.Errorf("not like other refusals: %q", got)
				}
			case "200":
				wantObservation(t, text)
			default:
				if code := string(text[9:12]); code != tt.code {
					t.Errorf("code %s, want %s", code, tt.code)
				}
				if bytes.Contains(text, []byte("orders-1")) {
					t.Errorf("the node: %q", text)
				}
			}
		})
	}
}

var stamp = regexp.MustCompile(`Date: [^\r]*\r\n`)

// wantObservation wants one whole answer.
func wantObservation(t *testing.T, text []byte) {
	t.Helper()
	reader := bufio.NewReader(bytes.NewReader(text))
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v: %q", err, text)
	}
	if _, err := observation.Decode(body); err != nil {
		t.Error(err)
	}
	for header, want := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Type": "application/json",
	} {
		if got := response.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if rest, _ := io.ReadAll(reader); len(rest) > 0 || !response.Close {
		t.Errorf("more after the answer: %q", rest)
	}
}

// TestPipelining: a connection has one answer, whatever is sent after the request.
func TestPipelining(t *testing.T) {
	socket, _ := serving(t, goodSource())
	wantObservation(t, exchange(t, socket, strings.Repeat(get+auth+"\r\n", 3)))
	text := exchange(t, socket, get+"\r\n"+get+auth+"\r\n")
	if bytes.Count(text, []byte("HTTP/1.1")) != 1 || !bytes.Contains(text, []byte(" 404 ")) {
		t.Errorf("%q", text)
	}
}

// TestClientsThatDoNothing: one that sends nothing, one that sends a byte now and
// then, and one that does not read are all closed.
func TestClientsThatDoNothing(t *testing.T) {
	socket, token := serving(t, goodSource(), func(s *Server) { s.http.ReadTimeout, s.http.ReadHeaderTimeout = 200*ms, 200*ms })
	var all sync.WaitGroup
	for range 3 * maxConnections {
		silent := dial(t, socket)
		all.Go(func() {
			if text, _ := io.ReadAll(silent); len(text) > 0 && !bytes.Contains(text, []byte(" 408 ")) {
				t.Errorf("silent: %q", text)
			}
		})
	}
	dribble := dial(t, socket)
	all.Go(func() {
		for _, b := range []byte(get + auth + "\r\n") {
			if _, err := dribble.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(50 * ms)
		}
		t.Error("a client was waited for byte by byte")
	})
	deaf := dial(t, socket)
	if _, err := io.WriteString(deaf, get+auth+"\r\n"); err != nil {
		t.Error(err)
	}
	all.Wait() // until each was closed

	text, err := Observe(t.Context(), socket, token)
	if err != nil || len(text) == 0 {
		t.Error(err)
	}
}

// TestManyClients: 200 at once are all answered, from one evaluation at a time, and
// never by more than 64 connections.
func TestManyClients(t *testing.T) {
	var inside, most, calls atomic.Int64
	s := goodSource()
	s.Ready = check.Func(func(context.Context) check.Result {
		calls.Add(1)
		if now := inside.Add(1); now > most.Load() {
			most.Store(now)
		}
		time.Sleep(10 * ms)
		inside.Add(-1)
		return check.Result{Status: check.Healthy}
	})
	socket, _ := serving(t, s)
	var all sync.WaitGroup
	for range 200 {
		conn := dial(t, socket) // in the queue, or accepted
		all.Go(func() {
			_, err := io.WriteString(conn, get+auth+"\r\n")
			text, readErr := io.ReadAll(conn)
			if err != nil || readErr != nil {
				t.Errorf("%v, %v", err, readErr)
				return
			}
			wantObservation(t, text)
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d evaluations at the same time", most.Load())
	}
	if calls.Load() > 200 {
		t.Errorf("%d calls for 200 clients", calls.Load())
	}
}

// TestConnectionLimit holds 64 requests in progress: further clients wait in the
// queue and are served once there is room.
func TestConnectionLimit(t *testing.T) {
	var waiting atomic.Int64
	all := make(chan struct{})
	limit := maxConnections
	l := newLimited(newPipe(), make(slots, limit))
	defer l.Close()
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
			if waiting.Add(1) == int64(limit) {
				close(all)
			}
		}
	}()
	pipe := l.Listener.(*pipeListener)
	for range limit + 5 {
		client := pipe.dial()
		defer client.Close()
	}
	<-all
	if n := len(l.slots); n != limit || waiting.Load() != int64(limit) {
		t.Errorf("%d in use, %d handed out", n, waiting.Load())
	}
}

// TestHungFact: a request is answered although a fact hangs, and the next ones at
// once.
func TestHungFact(t *testing.T) {
	release := make(chan struct{})
	s := goodSource()
	s.Owner = check.Func(func(context.Context) check.Result {
		<-release
		return check.Result{Status: check.Healthy, Description: secret}
	})
	socket, token := serving(t, s)
	defer close(release)
	for range 2 {
		text, err := Observe(t.Context(), socket, token)
		must(t, err)
		d, err := observation.Decode(text)
		if err != nil || d.Result != observation.Failed || d.Native.Owner {
			t.Errorf("%v: %s", err, text)
		}
	}
}

// TestRotation: a new token holds from the next request on, the old one no more,
// and none while there is no file that can be used.
func TestRotation(t *testing.T) {
	socket, path := serving(t, goodSource())
	code := func(token string) string {
		return string(exchange(t, socket, get+"Authorization: Bearer "+token+"\r\n\r\n")[9:12])
	}
	want := func(old, fresh string) {
		t.Helper()
		if got := code(secret); got != old {
			t.Errorf("the old token: %s, want %s", got, old)
		}
		if got := code("fresh-" + secret); got != fresh {
			t.Errorf("the new token: %s, want %s", got, fresh)
		}
	}
	want("200", "404")
	tokenFile(t, filepath.Dir(path), "fresh-"+secret)
	want("404", "200")
	must(t, os.Chmod(path, 0o604))
	want("404", "404")
	must(t, os.Chmod(path, 0o600))
	want("404", "200")
	must(t, os.Remove(path))
	want("404", "404")
	tokenFile(t, filepath.Dir(path), secret)
	want("200", "404")
	must(t, os.WriteFile(path, nil, 0o600))
	if got := code(""); got != "404" {
		t.Errorf("an empty token: %s", got)
	}
}

// TestLimits: what the tests of slow clients make shorter is limited.
func TestLimits(t *testing.T) {
	serving(t, goodSource(), func(s *Server) {
		if h := s.http; h.ReadTimeout != readTimeout || h.ReadHeaderTimeout != readTimeout || h.WriteTimeout != writeTimeout || h.MaxHeaderBytes != maxHead {
			t.Errorf("%+v", h)
		}
		if l := s.listener.(*limited); cap(l.slots) != maxConnections {
			t.Errorf("%d connections", cap(l.slots))
		}
	})
}

func TestListenRefusals(t *testing.T) {
	dir := folder(t)
	token := tokenFile(t, dir, secret)
	for want, change := range map[string]func(*Config){
		`node: source: node ""`: func(c *Config) { c.Source.Node = "" },
		`node: token file ""`:   func(c *Config) { c.TokenFile = "" },
		`node: socket ""`:       func(c *Config) { c.Socket = "" },
	} {
		c := Config{Socket: filepath.Join(dir, "s"), TokenFile: token, Source: goodSource()}
		change(&c)
		if s, err := Listen(c); err == nil || !strings.HasPrefix(err.Error(), want) || s != nil {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "s")); err == nil {
		t.Error("a socket was left behind")
	}
}
