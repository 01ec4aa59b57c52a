package tiers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
)

// ErrPath is returned by Mount and Endpoints for a path that cannot be served.
var ErrPath = errors.New("tiers: path")

// The default paths (S1.1, X3).
const (
	DefaultReadyPath   = "/health/ready"
	DefaultActivePath  = "/health/active"
	DefaultLivePath    = "/healthz"
	DefaultStartupPath = "/health/startup"
	DefaultWedgedPath  = "/health/wedged"
)

// Mount mounts the ready, the active and the live tier on mux in one call
// (S1.50), and the startup and the wedged tier when they have checks by then
// or are asked for by a path option. It adds no checks (S1.51).
//
// A path is served exactly: it must begin with a slash and be written as a
// browser would send it, with no trailing slash, and no two tiers have the
// same. A path that mux has already is refused too, and so is one that a pattern
// with a common method, such as "GET /", covers. Patterns with a host are not
// looked at: "example.com/healthz" takes precedence over the tier for requests
// to that host, as ServeMux documents. Errors about paths wrap ErrPath (S1.52);
// after one, nothing is served on mux by this call.
//
// Checks may be added to the mounted tiers later. The first check of the startup
// or the wedged tier must come before Mount, unless the tier is asked for: after
// it no path would show the check, so registering it is an error.
//
// http.ServeMux itself redirects a request for //health/ready to the clean
// path before any handler is asked; where that matters, serve Endpoints.
func (s *Set) Mount(mux *http.ServeMux, opts ...MountOption) error {
	if mux == nil {
		return errors.New("tiers: mux nil: must not be nil")
	}
	routes, err := s.routes(opts)
	if err != nil {
		return err
	}
	for _, r := range routes {
		if err := vacant(mux, r.path); err != nil {
			return err
		}
	}
	// A mux cannot take a pattern back, so what is mounted before a late
	// refusal stays closed.
	var open atomic.Bool
	for _, r := range routes {
		exact := &exactRoute{route: r, open: &open}
		if err := handle(mux, r.pattern(), exact); err != nil {
			return fmt.Errorf("%w %q (tier %s): %w", ErrPath, r.path, r.tier, err)
		}
	}
	open.Store(true)
	s.serve(routes)
	return nil
}

// Endpoints returns one handler for all the tiers that Mount would mount, for a
// listener or a router of its own: exactly those paths, byte for byte, and 404
// for every other, with no redirect at all.
func (s *Set) Endpoints(opts ...MountOption) (http.Handler, error) {
	routes, err := s.routes(opts)
	if err != nil {
		return nil, err
	}
	handlers := make(map[string]*handler, len(routes))
	for _, r := range routes {
		handlers[r.path] = r.handler
	}
	s.serve(routes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := handlers[r.URL.EscapedPath()]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		writeError(w, r, http.StatusNotFound, "not found")
	}), nil
}

// serve marks what was mounted.
func (s *Set) serve(routes []route) {
	for _, r := range routes {
		r.handler.serve()
	}
	s.mounted.Store(true)
}

// route is one tier at its path.
type route struct {
	tier    Tier
	path    string
	handler *handler
}

// pattern is the path as ServeMux writes it: "/" alone would match everything.
func (r route) pattern() string {
	if r.path == "/" {
		return "/{$}"
	}
	return r.path
}

// routes returns what is to be mounted, in the fixed order (S1.7).
func (s *Set) routes(opts []MountOption) ([]route, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	cfg := mountConfig{paths: [...]string{DefaultReadyPath, DefaultActivePath, DefaultLivePath, DefaultStartupPath, DefaultWedgedPath}}
	for _, opt := range opts {
		if opt != nil {
			opt.applyMount(&cfg)
		}
	}
	taken := make(map[string]Tier, len(order))
	routes := make([]route, 0, len(order))
	for i, t := range order {
		if optIn := t == Startup || t == Wedged; optIn && !cfg.asked.has(t) && !s.hasChecks(t) {
			continue
		}
		p := cfg.paths[i]
		if err := servable(p); err != nil {
			return nil, fmt.Errorf("%w %q (tier %s): %w", ErrPath, p, t, err)
		}
		if other, collides := taken[p]; collides {
			return nil, fmt.Errorf("%w %q (tier %s): is that of tier %s", ErrPath, p, t, other)
		}
		taken[p] = t
		routes = append(routes, route{tier: t, path: p, handler: s.handler(t, cfg.handler)})
	}
	return routes, nil
}

// servable refuses a path that no request could match byte for byte, and one
// that would be more than a path in a pattern of ServeMux.
func servable(p string) error {
	switch {
	case p == "":
		return errors.New("must not be empty")
	case p[0] != '/':
		return errors.New("must begin with /")
	case path.Clean(p) != p:
		return fmt.Errorf("must be clean and without a trailing slash, as %q", path.Clean(p))
	case (&url.URL{Path: p}).EscapedPath() != p:
		return errors.New("must need no escaping")
	}
	return nil
}

// vacant refuses a path that mux sends elsewhere already.
func vacant(mux *http.ServeMux, p string) error {
	for _, method := range [...]string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		_, pattern := mux.Handler(&http.Request{Method: method, URL: &url.URL{Path: p}})
		if pattern == (route{path: p}).pattern() || strings.Contains(pattern, " ") {
			return fmt.Errorf("%w %q: the mux sends it to its pattern %q", ErrPath, p, pattern)
		}
	}
	return nil
}

// handle is mux.Handle with its panic as an error.
func handle(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("refused by the mux: %v", p)
		}
	}()
	mux.Handle(pattern, h)
	return nil
}

// exactRoute answers its own path and no other spelling of it: ServeMux takes
// /%68ealthz for /healthz.
type exactRoute struct {
	route
	open *atomic.Bool
}

// ServeHTTP answers a probe.
func (e *exactRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !e.open.Load() || r.URL.EscapedPath() != e.path {
		writeError(w, r, http.StatusNotFound, "not found")
		return
	}
	e.handler.ServeHTTP(w, r)
}
