package node

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// TestClose: the socket goes, Serve returns, also with clients of every kind there.
func TestClose(t *testing.T) {
	for name, end := range map[string]func(cancel context.CancelFunc, s *Server){
		"by the context": func(cancel context.CancelFunc, _ *Server) { cancel() },
		"by Close":       func(_ context.CancelFunc, s *Server) { s.Close(); s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			c := Config{Socket: filepath.Join(dir, "s"), TokenFile: tokenFile(t, dir, secret), Source: goodSource()}
			inside, release := make(chan struct{}, 1), make(chan struct{})
			defer close(release)
			c.Source.Ready = check.Func(func(context.Context) check.Result {
				inside <- struct{}{}
				<-release
				return check.Result{}
			})
			server, err := Listen(c)
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- server.Serve(ctx) }()
			dial(t, c.Socket)
			conn := dial(t, c.Socket)
			_, err = io.WriteString(conn, get+auth+"\r\n")
			must(t, err)
			<-inside

			end(cancel, server)
			select {
			case err := <-ended:
				must(t, err)
			case <-time.After(patience):
				t.Fatal("it goes on")
			}
			if _, err := os.Lstat(c.Socket); !os.IsNotExist(err) {
				t.Error("the socket is still there")
			}
			must(t, server.Serve(ctx)) // too late, and no harm
			again, err := Listen(c)
			must(t, err)
			again.Close()
		})
	}
}

// TestCloseBeforeServe: a server that is never served leaves nothing behind.
func TestCloseBeforeServe(t *testing.T) {
	dir := folder(t)
	c := Config{Socket: filepath.Join(dir, "s"), TokenFile: tokenFile(t, dir, secret), Source: goodSource()}
	server, err := Listen(c)
	must(t, err)
	server.Close()
	if _, err := os.Lstat(c.Socket); !os.IsNotExist(err) {
		t.Error("the socket is still there")
	}
	must(t, server.Serve(t.Context()))
}

func TestServerOfNothing(t *testing.T) {
	for _, s := range []*Server{nil, {}} {
		s.Close()
		if err := s.Serve(t.Context()); err == nil || err.Error() != "node: server: must be made by Listen" {
			t.Error(err)
		}
	}
}

// TestListenerFails: what ends the server tells why.
func TestListenerFails(t *testing.T) {
	dir := folder(t)
	server, err := Listen(Config{Socket: filepath.Join(dir, "s"), TokenFile: tokenFile(t, dir, secret), Source: goodSource()})
	must(t, err)
	must(t, server.listener.(*limited).Listener.Close())
	if err := server.Serve(noContext); err != nil {
		t.Errorf("a closed listener is the end: %v", err)
	}
}
