package adapter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"sync/atomic"
	"time"
)

// newRunner makes what runs the command.
func newRunner(c Config) (runner, error) {
	r := &execRunner{config: c}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

// listen makes what answers the probes.
func listen(c Config, answer func(endpoint) bool) (server, error) {
	listener, err := net.Listen("tcp", c.Listen.String())
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for e, path := range []string{c.StartupPath, c.ReadyPath, c.LivePath} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Content-Type", "application/json")
			if !answer(endpoint(e)) {
				w.WriteHeader(http.StatusServiceUnavailable)
				fmt.Fprint(w, `{"status":"Unhealthy"}`)
				return
			}
			fmt.Fprint(w, `{"status":"Healthy"}`)
		})
	}
	return &httpServer{listener: listener, server: http.Server{Handler: mux, ReadHeaderTimeout: time.Second}}, nil
}

type execRunner struct {
	config Config
	ctx    context.Context
	cancel context.CancelFunc
	busy   atomic.Bool
}

func (r *execRunner) Run() ([]byte, time.Time, error) {
	ctx, cancel := context.WithTimeout(r.ctx, r.config.Timeout)
	defer cancel()
	started := time.Now()
	command := exec.CommandContext(ctx, r.config.Command[0], r.config.Command[1:]...)
	command.Env = append([]string{}, r.config.Environment...)
	command.WaitDelay = time.Millisecond
	output, err := command.Output()
	return output, started, err
}

func (r *execRunner) Stop() { r.cancel() }

type httpServer struct {
	listener net.Listener
	server   http.Server
}

func (s *httpServer) Addr() netip.AddrPort {
	return netip.MustParseAddrPort(s.listener.Addr().String())
}

func (s *httpServer) Serve() error {
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *httpServer) Stop() { s.server.Close() }
