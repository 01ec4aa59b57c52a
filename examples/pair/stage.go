package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/freeport"
)

// stage is all that runs: every part a process of its own.
type stage struct {
	options
	engineProcess, deviceProcess, proxyProcess *child
	nodes                                      []*child
	client                                     *http.Client
}

// hosts are the addresses of the nodes.
var hosts = []string{"127.0.0.11", "127.0.0.12", "127.0.0.13"}

func open(ctx context.Context, o options) (s *stage, err error) {
	s = &stage{options: o, client: &http.Client{Transport: &http.Transport{}, Timeout: time.Second}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if len(s.endpoints) == 0 {
		if s.folder, err = os.MkdirTemp("", "loopvitals-pair-"); err != nil {
			return s, err
		}
		if s.engineProcess, err = s.start(ctx, "engine", "127.0.0.1", "-engine", string(s.engine), "-folder", s.folder); err != nil {
			return s, err
		}
		s.endpoints = []string{s.engineProcess.address}
	}
	if s.deviceProcess, err = s.start(ctx, "device", "127.0.0.1"); err != nil {
		return s, err
	}
	var addresses []string
	for _, host := range hosts {
		address, err := freeport.Address(host)
		if err != nil {
			return s, fmt.Errorf("an address for a node: %w", err)
		}
		n, err := s.startNode(ctx, address)
		if err != nil {
			return s, err
		}
		s.nodes = append(s.nodes, n)
		addresses = append(addresses, address)
		if len(s.nodes) > 1 {
			continue
		}
		// The story begins with the oldest node at the lowest address.
		if err := s.ready(ctx); err != nil {
			return s, err
		}
	}
	s.proxyProcess, err = s.start(ctx, "proxy", "127.0.0.1", "-nodes", strings.Join(addresses, ","))
	return s, err
}

// start starts a part on a free port.
func (s *stage) start(ctx context.Context, verb, host string, args ...string) (*child, error) {
	address, err := freeport.Address(host)
	if err != nil {
		return nil, err
	}
	c, err := spawn(verb, address, args...)
	if err != nil {
		return nil, err
	}
	if err := c.listens(ctx); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

func (s *stage) startNode(ctx context.Context, address string) (*child, error) {
	c, err := spawn("node", address, "-engine", string(s.engine), "-endpoints", strings.Join(s.endpoints, ","),
		"-device", s.deviceProcess.address, "-ttl", s.ttl.String())
	if err != nil {
		return nil, err
	}
	if err := c.listens(ctx); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

func (s *stage) close() {
	for _, c := range append([]*child{s.proxyProcess, s.deviceProcess, s.engineProcess}, s.nodes...) {
		if c != nil {
			c.kill()
		}
	}
	s.client.CloseIdleConnections()
	if s.folder != "" {
		_ = os.RemoveAll(s.folder)
	}
}

// ask returns status and body of a GET.
func (s *stage) ask(ctx context.Context, c *child, path string) (code int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.address+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	return answer.StatusCode, strings.TrimSpace(string(text)), err
}

// answers tells whether the path is answered with 200.
func (s *stage) answers(ctx context.Context, c *child, path string) bool {
	code, _, err := s.ask(ctx, c, path)
	return err == nil && code == http.StatusOK
}

// active waits for a node that is active, and is not one that was.
func (s *stage) active(ctx context.Context, not *child) (found *child, err error) {
	err = await(ctx, func() bool {
		for _, c := range s.nodes {
			if c != not && s.answers(ctx, c, "/health/active") {
				found = c
				return true
			}
		}
		return false
	})
	if err != nil {
		err = fmt.Errorf("an active node: %w", errors.Join(err, s.logs()))
	}
	return found, err
}

// ready waits until all nodes are full members.
func (s *stage) ready(ctx context.Context) error {
	for _, c := range s.nodes {
		if err := await(ctx, func() bool { return c.hasEnded() || s.isUp(ctx, c) }); err != nil || c.hasEnded() {
			return fmt.Errorf("node %s is not a member: %w\n%s", c.address, cmp.Or(err, errEnded), c.log.String())
		}
	}
	return nil
}

var errEnded = errors.New("it has ended")

// isUp looks into the answer: a node that is still joining is ready as well.
func (s *stage) isUp(ctx context.Context, c *child) bool {
	_, body, err := s.ask(ctx, c, "/health/ready")
	return err == nil && strings.Contains(body, `Member status: Up`)
}

// logs is what the nodes have said of late.
func (s *stage) logs() error {
	var errs []error
	for _, c := range s.nodes {
		errs = append(errs, fmt.Errorf("%s: %s", c.address, c.log.String()))
	}
	return errors.Join(errs...)
}
