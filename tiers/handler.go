package tiers

import (
	"net/http"
	"sync/atomic"
)

// allowed lists the methods of every tier. OPTIONS is among them because some
// load balancers probe with it (X13).
const allowed = "GET, HEAD, OPTIONS"

// Handler returns the handler of one tier, to be mounted by hand: behind an
// authorisation, or on a router that is not http.ServeMux. It answers every
// path it is given; Mount is what keeps paths exact. Where t is none of the
// five tiers, it answers 404.
//
// GET, HEAD and OPTIONS are answered and nothing else: 405 with Allow (X13).
// Nothing in the request but its method changes the answer.
func (s *Set) Handler(t Tier, opts ...HandlerOption) http.Handler {
	h := s.handler(t, opts)
	h.serve()
	return h
}

// handler makes a handler that nobody is shown yet.
func (s *Set) handler(t Tier, opts []HandlerOption) *handler {
	h := &handler{set: s, tier: t}
	for _, opt := range opts {
		if opt != nil {
			opt.applyHandler(h)
		}
	}
	return h
}

// handler answers the probes of one tier.
type handler struct {
	set    *Set
	tier   Tier
	custom ResponseWriter // nil is WriteJSON
	broken atomic.Bool    // custom failed the last time
}

// serve marks the tier as one that is served.
func (h *handler) serve() {
	if h.set != nil && h.tier.index() >= 0 {
		h.set.served.Or(uint32(h.tier.mask()))
	}
}

// ServeHTTP answers one probe.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case h.tier.index() < 0:
		writeError(w, r, http.StatusNotFound, "not found")
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions:
		w.Header().Set("Allow", allowed)
		writeError(w, r, http.StatusMethodNotAllowed, "method not allowed")
	case h.custom != nil:
		h.writeCustom(w, r, h.set.evaluate(r.Context(), h.tier))
	default:
		WriteJSON(w, r, h.set.evaluate(r.Context(), h.tier))
	}
}

// writeCustom lets a writer that is not ours fill a page and sends it once the
// writer has returned. Of one that panics half way nothing is sent: the answer
// is 500, and on the live tier the plain status, since a faulty writer is no
// reason to restart the process.
func (h *handler) writeCustom(w http.ResponseWriter, r *http.Request, report Report) {
	page := newPage(report.StatusCode())
	asked := r.Clone(r.Context())
	asked.Method = http.MethodGet // it writes what GET gets; HEAD and OPTIONS are made of that
	cause := contained(func() { h.custom(page, asked, report.clone()) })
	if broken := cause != nil; h.broken.Swap(broken) != broken && broken {
		h.set.logger().Error("tiers: response writer failed", "tier", string(h.tier), "cause", cause.Error())
	}
	switch {
	case cause == nil:
		page.sendTo(w, r)
	case h.tier == Live:
		WriteStatusOnly(w, r, report)
	default:
		writeError(w, r, http.StatusInternalServerError, "response writer failed")
	}
}
