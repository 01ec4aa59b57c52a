package tiers

import (
	"maps"
	"net/http"
)

// page is an answer in the making. Its status code is the report's until the
// writer sets another, so that a writer that forgets to cannot turn a 503 into
// a 200; its headers are those of our own writers until it changes them.
type page struct {
	header  http.Header
	code    int
	decided bool
	body    []byte
}

func newPage(code int) *page {
	p := &page{header: make(http.Header), code: code}
	protect(p.header)
	return p
}

// Header implements http.ResponseWriter.
func (p *page) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter: the first call counts. Codes
// that are no final answer are ignored.
func (p *page) WriteHeader(code int) {
	if !p.decided && code >= 200 && code <= 599 {
		p.code, p.decided = code, true
	}
}

// Write implements http.ResponseWriter.
func (p *page) Write(b []byte) (int, error) {
	p.decided = true
	p.body = append(p.body, b...)
	return len(b), nil
}

// sendTo sends the finished page.
func (p *page) sendTo(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), p.header)
	send(w, r, p.code, p.body)
}
