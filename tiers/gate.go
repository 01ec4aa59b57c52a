package tiers

import "net/http"

// Gate tells whether this node may act (S1.45). IsActive may be called by any
// goroutine and for every request, so it reads memory and returns at once; it
// answers false while it does not know. A gate follows membership and not
// Drain: a draining node stays active until it has left.
type Gate interface{ IsActive() bool }

// retryAfter is the Retry-After of a closed gate in seconds: about the time a
// cluster takes to move the active role.
const retryAfter = "5"

// RequireActive lets a request pass to next while the gate is open. While it
// is closed the answer is 503 with Retry-After and a JSON body, and next is
// not called (S1.48). A gate that is nil, panics or ends its goroutine is
// closed (S1.47, F52).
//
// Cost: about a microsecond, that of a goroutine, without which a gate that
// calls runtime.Goexit would end the request unanswered.
func RequireActive(g Gate, next http.Handler) http.Handler {
	if next == nil {
		next = http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isOpen(g) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", retryAfter)
		writeError(w, r, http.StatusServiceUnavailable, "not active")
	})
}

// isOpen asks the gate and takes every way of not answering for no.
func isOpen(g Gate) bool {
	if g == nil {
		return false
	}
	open := false
	return contained(func() { open = g.IsActive() }) == nil && open
}
