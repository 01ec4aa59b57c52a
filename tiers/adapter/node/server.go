package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Limits of the server. Only processes of the same user can connect at all.
const (
	maxConnections = 64
	maxHead        = 8 << 10 // a token of 4096 bytes fits
	// readTimeout is more than the command that asks may take: what is slow there is
	// cut off there.
	readTimeout = 2 * time.Second
	// writeTimeout runs from the end of the request's head.
	writeTimeout = budget + time.Second
	// stopTimeout is how long requests in progress are waited for at the end.
	stopTimeout = 250 * time.Millisecond
)

// path is the only one that there is.
const path = "/observation"

// Config says what is served, and where.
type Config struct {
	// Socket is the absolute path of the unix socket, of at most 107 bytes (103 on
	// other systems than Linux). Its directory must exist, and should be writable
	// by the node's user only. Required.
	Socket string
	// TokenFile holds the token that a client must have: 16 to 4096 bytes of
	// printable ASCII, readable by nobody but its owner and group. It is read anew
	// for each request, so a token is changed by renaming a new file over it.
	// Required.
	TokenFile string
	// Source says where the facts are. Required.
	Source Source
}

// Server offers a node's observation on a unix socket to whoever has the token,
// and nothing else to anybody. Its methods may be called by any goroutine; those
// of a nil Server do nothing.
//
// There is one request, GET /observation with the header
// "Authorization: Bearer TOKEN". All others are answered 404 with no body, and what
// is no HTTP by net/http. Each connection gets one answer. There are 64 connections
// at most, further ones wait; one that has sent no request within two seconds, or
// does not read its answer, is closed.
type Server struct {
	config   Config
	facts    *evaluator
	listener net.Listener
	socket   *socketFile
	http     *http.Server
	serving  sync.WaitGroup // connections that have a goroutine
	closing  sync.Once
	closed   chan struct{}
}

// Listen opens the socket with mode 0600. A socket that nobody listens on any more
// is replaced; one that somebody does listen on is an error, and so is anything
// else in its place, which stays as it is. Serve or Close must follow.
func Listen(c Config, options ...Option) (*Server, error) {
	facts, err := c.Source.evaluator(settingsOf(options).log)
	if err != nil {
		return nil, err
	}
	if _, err := readToken(c.TokenFile); err != nil {
		return nil, err
	}
	listener, file, err := listenSocket(c.Socket)
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, facts: facts, socket: file,
		listener: newLimited(listener, make(slots, maxConnections)),
		closed:   make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadTimeout:       readTimeout,
		ReadHeaderTimeout: readTimeout,
		WriteTimeout:      writeTimeout,
		MaxHeaderBytes:    maxHead,
		ConnState:         s.count,
		// Without this OPTIONS * would be answered before any token was looked at.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0),
	}
	s.http.SetKeepAlivesEnabled(false)
	return s, nil
}

// Serve answers until ctx ends or Close is called, and returns nil when that has
// closed everything and no goroutine is left but those of facts that hang. It is
// called once. A nil ctx never ends.
func (s *Server) Serve(ctx context.Context) error {
	if s == nil || s.http == nil {
		return errors.New("node: server: must be made by Listen")
	}
	if ctx != nil {
		defer context.AfterFunc(ctx, s.Close)()
	}
	err := s.http.Serve(s.listener)
	s.Close()
	s.serving.Wait()
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return fmt.Errorf("node: serve: %w", err)
}

// Close stops the server and removes its socket, if that is still its own.
// Requests in progress have a quarter of a second to end. Further calls wait for
// the first.
func (s *Server) Close() {
	if s == nil || s.http == nil {
		return
	}
	s.closing.Do(func() {
		defer close(s.closed)
		s.socket.remove()
		_ = s.listener.Close()
		//nolint:forbidigo // the caller's context has ended, and the wait has a limit of its own
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if s.http.Shutdown(ctx) != nil {
			_ = s.http.Close()
		}
	})
	<-s.closed
}

// count keeps track of the connections. It is told of a new one by Serve's
// goroutine.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.serving.Add(1)
	case http.StateClosed:
		s.serving.Done()
	}
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if !s.permits(r) || r.Method != http.MethodGet || r.RequestURI != path {
		h.Set("Content-Length", "0") // for HEAD, too
		w.WriteHeader(http.StatusNotFound)
		return
	}
	text := s.facts.encode(r.Context())
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client may be gone: its loss
}

// permits tells whether the request has the token. The file is read for each, so
// that a token that was taken back is worth nothing from then on.
func (s *Server) permits(r *http.Request) bool {
	given := r.Header.Values("Authorization")
	token, err := readToken(s.config.TokenFile)
	if err != nil || len(given) != 1 {
		return false
	}
	return sameToken([]byte(given[0]), append([]byte(scheme), token...))
}

// scheme precedes the token in a request.
const scheme = "Bearer "
