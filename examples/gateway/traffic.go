package gateway

import (
	"context"
	"maps"
	"path"
	"sync"

	"google.golang.org/grpc"
)

// Traffic is what has come in and what the worker has done about it.
type Traffic struct {
	// Requests counts those that have arrived, by method.
	Requests map[string]int
	// Open is how many have no answer yet, and PeakOpen the most there were.
	Open, PeakOpen int
	// Queued is how many commands the worker has before it, the one it works at
	// included, and PeakQueued the most there were. Callers may have given up.
	Queued, PeakQueued int
	// Done is how many commands it has carried out.
	Done int
}

// Total counts all requests.
func (t Traffic) Total() int {
	sum := 0
	for _, n := range t.Requests {
		sum += n
	}
	return sum
}

// Traffic returns the counts since the server was made.
func (s *Server) Traffic() Traffic {
	t := s.traffic.read()
	s.worker.mu.Lock()
	defer s.worker.mu.Unlock()
	t.Queued, t.PeakQueued, t.Done = s.worker.queued(), s.worker.peak, s.worker.done
	return t
}

// traffic counts requests.
type traffic struct {
	mu         sync.Mutex
	requests   map[string]int
	open, peak int
}

// count is a server's interceptor.
func (t *traffic) count(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	t.mu.Lock()
	t.requests[path.Base(info.FullMethod)]++
	t.open++
	t.peak = max(t.peak, t.open)
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open--
	}()
	return handle(ctx, request)
}

func (t *traffic) read() Traffic {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Traffic{Requests: maps.Clone(t.requests), Open: t.open, PeakOpen: t.peak}
}
