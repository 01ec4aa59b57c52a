package tiers

import (
	"net/http"
	"strconv"
	"sync"
)

// ResponseWriter answers a request with a report. WriteJSON and WriteStatusOnly
// are the two that come with the package; WithResponseWriter takes any other
// (S1.43). Its report is its own to change, all but the Data maps.
type ResponseWriter func(w http.ResponseWriter, r *http.Request, report Report)

// WriteJSON writes the canonical body, see Report.AppendJSON, under the
// report's StatusCode. It may be called from any handler. The body is complete
// before the status line is sent, so a client never gets a status with half a
// reason (CASE-112). Entries' descriptions and data may tell a stranger how
// the system is built; for ports that strangers reach there is WriteStatusOnly.
func WriteJSON(w http.ResponseWriter, r *http.Request, report Report) {
	buf := bodies.Get().(*[]byte)
	body, _ := report.AppendJSON((*buf)[:0])
	writeBody(w, r, report.StatusCode(), body)
	if cap(body) <= maxPooled {
		*buf = body
		bodies.Put(buf)
	}
}

// WriteStatusOnly writes {"status":"Healthy"} and no detail at all: the writer
// for ports that strangers reach (X12, F51).
func WriteStatusOnly(w http.ResponseWriter, r *http.Request, report Report) {
	writeBody(w, r, report.StatusCode(), []byte(`{"status":"`+report.Status.Known().String()+`"}`))
}

// maxPooled keeps a buffer that one huge description blew up out of the pool.
const maxPooled = 4 * maxBody

var bodies = sync.Pool{New: func() any { return new([]byte) }}

// writeBody sends a complete JSON body.
func writeBody(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	protect(w.Header())
	send(w, r, code, body)
}

// writeError answers with a fixed text that is JSON, too.
func writeError(w http.ResponseWriter, r *http.Request, code int, text string) {
	protect(w.Header())
	finish(w, r, code, []byte(`{"error":"`+text+`"}`))
}

// protect sets the headers that every answer carries (S1.37).
func protect(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// send answers a probe. OPTIONS is answered like HEAD, but with the
// Content-Length of what it gets, since no client knows that its body would
// not come (X13).
func send(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	if r != nil && r.Method == http.MethodOptions {
		w.Header().Set("Allow", allowed)
		body = nil
	}
	finish(w, r, code, body)
}

// finish sends the status line, the headers and a complete body; HEAD gets the
// headers that GET would get, Content-Length included, and no body.
func finish(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	if r == nil || r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client is gone: nobody is left to tell
	}
}
