package prom

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestBodyOfOneChunk: from the bound on a body is compressed, at level 1, and
// then has no length in its header, which would be that of the plain text.
func TestBodyOfOneChunk(t *testing.T) {
	for _, c := range []struct {
		size     int
		compress bool // the client takes it
		zipped   bool
	}{
		{worthwhile - 1, true, false},
		{worthwhile, true, true},
		{worthwhile + 1, true, true},
		{worthwhile, false, false},
	} {
		w := httptest.NewRecorder()
		b := &body{w: w, compress: c.compress}
		b.end(bytes.Repeat([]byte("a"), c.size))
		h := w.Header()
		if zipped := h.Get("Content-Encoding") == "gzip"; zipped != c.zipped || (h.Get("Content-Length") != "") == zipped {
			t.Errorf("%d bytes: header %v, want compressed: %v", c.size, h, c.zipped)
		}
		const levelAt, fastest = 8, 4 // RFC 1952, XFL
		if c.zipped && w.Body.Bytes()[levelAt] != fastest {
			t.Error("not compressed at the fastest level")
		}
	}
}

// TestVaryIsAdded: a middleware's own Vary stays.
func TestVaryIsAdded(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	new(Exporter).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if got := w.Header().Values("Vary"); len(got) != 2 || got[0] != "Origin" || got[1] != "Accept, Accept-Encoding" {
		t.Errorf("Vary %q", got)
	}
}
