package prom

import (
	"net/http"

	"github.com/prometheus/common/expfmt"
)

// ServeHTTP answers a scrape with the text of all series, rendered straight from
// one reading of the sources: in OpenMetrics 1.0.0 (or 0.0.1) for a client that
// asks for it, else in the text format 0.0.4; compressed with gzip when the
// client accepts that and the text has at least 14 KiB. Anything but GET and
// HEAD is answered with 405. Query parameters change nothing.
//
// It runs no check, so a dependency that hangs does not hold it up. Everything is
// read before the first byte is sent, and the text is sent in chunks of 64 KiB:
// a slow client holds nothing of the boards, and one that went away ends its own
// scrape only. How long a client may take is up to http.Server.WriteTimeout.
//
// A scrape allocates nothing for a processor that it has met before, and for a
// redundancy node what its State does: some twenty objects.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	format := expfmt.NegotiateAccept(r.Header, expfmt.FmtText, expfmt.FmtOpenMetrics_1_0_0, expfmt.FmtOpenMetrics_0_0_1)
	b := &body{w: w, head: r.Method == http.MethodHead, compress: acceptsGzip(r.Header)}
	p := &page{out: b, open: format.FormatType() == expfmt.TypeOpenMetrics}

	var read *pass
	if e.open() {
		var err error
		if read, err = readPass(e.text.reader); err != nil {
			http.Error(w, "metrics could not be read", http.StatusInternalServerError)
			return
		}
		defer e.text.reader.Release(read)
		p.at = read.At.UnixNano()
	}
	h.Set("Content-Type", string(format))
	h.Add("Vary", "Accept, Accept-Encoding")
	buffer := buffers.Get().(*[]byte)
	p.dst = (*buffer)[:0]
	if read != nil {
		e.render(p, read)
	}
	if p.open {
		p.dst = append(p.dst, "# EOF\n"...)
	}
	b.end(p.dst)
	*buffer = p.dst
	buffers.Put(buffer)
}
