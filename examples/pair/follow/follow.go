// Package follow is a reverse proxy that sends work to the active node as an
// orchestrator's load balancer does: it knows nothing of clusters, asks each node
// for GET /health/active, and sends requests to the one that answers 200.
package follow

import (
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a node may take to say whether it is active.
const patience = 500 * time.Millisecond

// Proxy forwards requests to the node that was active when it was last asked.
// Between two looks the role may move; the gate in the node that has lost it then
// answers 503 itself, and the client asks again.
type Proxy struct {
	backends []*backend
	client   *http.Client
}

type backend struct {
	address string
	forward *httputil.ReverseProxy
	active  atomic.Bool
}

// New returns a proxy in front of the nodes at the addresses, HOST:PORT.
func New(addresses ...string) *Proxy {
	p := &Proxy{client: &http.Client{Transport: &http.Transport{}, Timeout: patience}}
	for _, address := range addresses {
		forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
		forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "the active node did not answer", http.StatusBadGateway)
		}
		p.backends = append(p.backends, &backend{address: address, forward: forward})
	}
	return p
}

// ServeHTTP forwards the request, or answers 503 while no node is active.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, b := range p.backends {
		if b.active.Load() {
			b.forward.ServeHTTP(w, r)
			return
		}
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no node is active", http.StatusServiceUnavailable)
}

// Run asks the nodes until ctx ends, each for itself: one that hangs must not
// delay what another has to say.
func (p *Proxy) Run(ctx context.Context, every time.Duration) {
	defer p.client.CloseIdleConnections()
	var group sync.WaitGroup
	defer group.Wait()
	for _, b := range p.backends {
		group.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for ctx.Err() == nil {
				b.active.Store(p.isActive(ctx, b.address))
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
}

func (p *Proxy) isActive(ctx context.Context, address string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health/active", http.NoBody)
	if err != nil {
		return false
	}
	response, err := p.client.Do(r)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	return response.StatusCode == http.StatusOK
}
