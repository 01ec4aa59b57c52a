package node

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

func TestObserve(t *testing.T) {
	socket, token := serving(t, goodSource())
	for _, ctx := range []context.Context{t.Context(), noContext} {
		text, err := Observe(ctx, socket, token)
		must(t, err)
		d, err := observation.Decode(text)
		must(t, err)
		if d.Identity.Node != "orders-1" || text[len(text)-1] != '\n' || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%s", text)
		}
	}
}

// TestObserveFailures: each ends in one line that holds nothing of the token.
func TestObserveFailures(t *testing.T) {
	good, err := evaluatorOf(t, goodSource()).document(t.Context()).Append(nil)
	must(t, err)
	body := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		}
	}
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"another token": {body(404, secret), "refused: must have the node's token"},
		"an error":      {body(500, secret), "status 500: must be 200"},
		"a redirect":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/observation", http.StatusFound) }, "status 302: must be 200"},
		"no document":   {body(200, "<html>\n\x1b[31m"), "observation: invalid document: "},
		"an echo":       {body(200, "{\"a\":\""+secret+"\"}"), errEcho.Error()},
		"no HTTP":       {raw("HTTP/1.1 " + secret + " OK\r\n\r\n"), errNoHTTP.Error()},
		"no header":     {raw("HTTP/1.1 200 OK\r\n" + secret + "\r\n\r\n"), errNoHTTP.Error()},
		"nothing":       {body(200, ""), "observation: invalid document: "},
		"two documents": {body(200, string(good)+string(good)), "observation: invalid document: "},
		"too large":     {body(200, string(good)+strings.Repeat(" ", observation.MaxBytes)), "observation: invalid document: "},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 4096)); err != nil {
					return
				}
			}
		}, "observation: invalid document: "},
		"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "{")
		}, "unexpected EOF"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			socket := filepath.Join(dir, "s")
			l, err := net.Listen("unix", socket)
			must(t, err)
			server := &http.Server{Handler: tt.answer}
			ended := make(chan struct{})
			go func() { defer close(ended); _ = server.Serve(l) }()
			defer func() { _ = server.Close(); <-ended }()
			text, err := Observe(t.Context(), socket, tokenFile(t, dir, secret))
			if text != nil || err == nil || !strings.HasPrefix(err.Error(), `node: socket "`+socket+`": `+tt.want) {
				t.Errorf("want %s, got %v", tt.want, err)
			}
			if err != nil && (strings.Contains(err.Error(), secret) || strings.ContainsAny(err.Error(), "\n\x1b")) {
				t.Errorf("%q", err)
			}
		})
	}
}

// raw answers with bytes that net/http would not write.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
}

func TestObserveNobody(t *testing.T) {
	dir := folder(t)
	token, path := tokenFile(t, dir, secret), filepath.Join(dir, "s")
	for want, try := range map[string][2]string{
		`node: socket "` + path + `": no such file or directory`:         {path, token},
		`node: socket "s": must be an absolute path`:                     {"s", token},
		`node: token file "` + dir + `/none": no such file or directory`: {path, dir + "/none"},
		`node: socket "` + token + `": connection refused`:               {token, token},
		`node: socket path of 200 bytes: must be of at most`:             {"/" + strings.Repeat("s", 199), token},
	} {
		if _, err := Observe(t.Context(), try[0], try[1]); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	stale(t, path)
	if _, err := Observe(t.Context(), path, token); err == nil || !strings.HasSuffix(err.Error(), "connection refused") {
		t.Error(err)
	}
}

// TestObserveIsBounded: a node that does not answer costs what the context allows,
// whether it is silent from the start or in the middle.
func TestObserveIsBounded(t *testing.T) {
	for name, said := range map[string]string{
		"silent":         "",
		"head only":      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		"in the middle":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
		"half of a head": "HTTP/1.1 200 OK\r\nX",
		"half of a line": "HTTP/1.1 2",
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			l, err := net.Listen("unix", filepath.Join(dir, "s"))
			must(t, err)
			var all sync.WaitGroup
			all.Go(func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, said)
				_, _ = io.Copy(io.Discard, conn) // until the client leaves
				_ = conn.Close()
			})
			ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
			defer cancel()
			_, err = Observe(ctx, l.Addr().String(), tokenFile(t, dir, secret))
			if err == nil || !strings.HasSuffix(err.Error(), "no answer in time") {
				t.Error(err)
			}
			_ = l.Close()
			all.Wait() // it has left
		})
	}
}

// TestObserveWithoutALimit has one all the same.
func TestObserveWithoutALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		dial := func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
		_, err := observe(noContext, dial, func() ([]byte, error) { return []byte(secret), nil })
		if err == nil || time.Since(start) != maxObserve {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// TestObserveDuringRotation: a token that was changed after it was read is read
// once more, and one that was not is not tried twice.
func TestObserveDuringRotation(t *testing.T) {
	dir := folder(t)
	socket, token := filepath.Join(dir, "s"), tokenFile(t, dir, secret)
	good, err := evaluatorOf(t, goodSource()).document(t.Context()).Append(nil)
	must(t, err)
	requests, rotate := 0, true
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.Header.Get("Authorization") != "Bearer fresh-"+secret {
			if rotate {
				tokenFile(t, dir, "fresh-"+secret)
			}
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(good)
	})}
	l, err := net.Listen("unix", socket)
	must(t, err)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }()
	if _, err := Observe(t.Context(), socket, token); err != nil || requests != 2 {
		t.Errorf("%d requests: %v", requests, err)
	}
	requests, rotate = 0, false
	tokenFile(t, dir, secret)
	if _, err := Observe(t.Context(), socket, token); err == nil || requests != 1 {
		t.Errorf("%d requests: %v", requests, err)
	}
	_ = server.Close()
	<-ended
}
