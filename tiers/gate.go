package tiers

import (
	"context"
	"net/http"
)

// Gate tells whether this node may act (S1.45). IsActive may be called by any
// goroutine and for every request, so it reads memory and returns at once; it
// answers false while it does not know. A gate follows membership and not
// Drain: a draining node stays active until it has left.
type Gate interface{ IsActive() bool }

// Admitter is what a Gate implements when work that was let in must end with
// the node's tenure, and is waited for by a node that leaves. RequireActive
// then asks Enter and not IsActive.
//
// Enter returns an error while the gate is closed, which may be an Explainer.
// Otherwise it returns a context that derives from ctx and ends when this node may no longer act, and
// a function that says that the work is done; the caller calls it once, however
// the work ended. Like IsActive it returns at once.
type Admitter interface {
	Enter(ctx context.Context) (inside context.Context, release func(), err error)
}

// Locator is what a Gate implements when it can tell where the active node is.
// Whoever is refused is told the address, strangers included; to keep it from
// them, hide the method, as in struct{ Gate; Admitter }{g, g}.
//
// ActiveNode returns an address such as "10.0.0.2:4053", and false while it is
// not known. Like IsActive it returns at once.
type Locator interface {
	ActiveNode() (address string, known bool)
}

// retryAfter is the Retry-After of a closed gate in seconds: about the time a
// cluster takes to move the active role.
const retryAfter = "5"

// RequireActive lets a request pass to next while the gate is open. While it
// is closed next is not called (S1.48), and the answer is 503 with Retry-After
// and the body
//
//	{"status":"Unhealthy","error":"not active","activeNode":"10.0.0.2:4053"}
//
// in which activeNode is left out unless the gate is a Locator that knows it, and
// the error of an Admitter that is an Explainer is told in place of "not active".
// A gate that fails in whichever way is closed, see FailClosed.
//
// Of a gate that is an Admitter the request's context ends with the tenure, and
// the request counts as work until next has returned. What next writes after
// that, on a connection it has hijacked for one, is for next to end.
//
// Cost: that of FailClosed, about two microseconds.
func RequireActive(g Gate, next http.Handler) http.Handler {
	if next == nil {
		next = http.NotFoundHandler()
	}
	g = FailClosed(g)
	admitter, admits := g.(Admitter)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case admits:
			ctx, release, err := admitter.Enter(r.Context())
			if err != nil {
				writeNotActive(w, r, g, publicReason(err))
				return
			}
			defer release()
			next.ServeHTTP(w, r.WithContext(ctx))
		case g.IsActive():
			next.ServeHTTP(w, r)
		default:
			writeNotActive(w, r, g, notActiveReason)
		}
	})
}

// writeNotActive is the answer of a closed gate. Status comes first, as in
// every body, and says what the active tier says of a standby.
func writeNotActive(w http.ResponseWriter, r *http.Request, g Gate, reason string) {
	body := appendString([]byte(`{"status":"Unhealthy","error":`), reason)
	if l, ok := g.(Locator); ok {
		if address, known := l.ActiveNode(); known {
			body = appendString(append(body, `,"activeNode":`...), address)
		}
	}
	w.Header().Set("Retry-After", retryAfter)
	protect(w.Header())
	finish(w, r, http.StatusServiceUnavailable, append(body, '}'))
}
