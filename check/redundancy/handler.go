package redundancy

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// allowed are the methods of the resource, as of the tiers (X13).
const allowed = "GET, HEAD, OPTIONS"

// degradedHeader has Envoy prefer other hosts, without taking this one out, when it
// is on the answer to a health check. Only that it is there counts.
const degradedHeader = "X-Envoy-Degraded"

// ServeHTTP answers with the service level of now, so that a Node can be mounted:
//
//	{"serviceLevel":250,"role":"primary","primary":"10.0.0.1:4053","servers":["10.0.0.1:4053"]}
//
// primary and servers are left out while they are not known. The status is 200, but 503 at the level
// of Down; a 200 below the level of Follower has the header x-envoy-degraded. GET,
// HEAD and OPTIONS are answered and nothing else, and nothing in the request but the
// method changes the answer. It tells strangers who is in the cluster.
//
// Like all that is asked of a Node it reads memory, before Run, during it and
// after. A nil Node is down.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		code, body := n.resource(h)
		respond(w, r, code, body)
	case http.MethodOptions:
		h.Set("Allow", allowed)
		code, _ := n.resource(h)
		respond(w, r, code, nil) // no client knows that a body would not come
	default:
		h.Set("Allow", allowed)
		respond(w, r, http.StatusMethodNotAllowed, []byte(`{"error":"method not allowed"}`))
	}
}

// resource is what GET gets.
func (n *Node) resource(h http.Header) (code int, body []byte) {
	p := n.picture()
	code = http.StatusOK
	switch {
	case p.tier == tierDown:
		code = http.StatusServiceUnavailable
	case p.tier < tierFollower:
		h.Set(degradedHeader, "true")
	}
	primary, _ := p.standing.primary()
	body, err := json.Marshal(struct {
		ServiceLevel int      `json:"serviceLevel"`
		Role         string   `json:"role"`
		Primary      string   `json:"primary,omitempty"`
		Servers      []string `json:"servers,omitempty"`
	}{p.level(), p.role().String(), primary, n.Servers()})
	if err != nil { // of strings and a number there is none
		return http.StatusInternalServerError, []byte(`{"error":"no answer"}`)
	}
	return code, body
}

// respond sends a complete answer; HEAD gets the headers of GET and no body.
func respond(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client is gone: nobody is left to tell
	}
}
