package prom

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

const (
	// chunk is how much is rendered before it is handed to the client. A scrape
	// holds one chunk and never the whole text.
	chunk = 64 << 10
	// worthwhile is the size from which a body is compressed: what is smaller
	// fits into the ten packets that a new connection may send at once, so
	// compressing saves no round trip, and costs eight times what rendering does.
	worthwhile = 14 << 10
)

// body is the way of one answer to its client. The first chunk decides: what ends
// within it is sent whole, with its length; anything longer is sent chunk by
// chunk. A client that went away ends the rendering at the next chunk.
type body struct {
	w        http.ResponseWriter
	head     bool // the client wants the header only
	compress bool // the client takes gzip

	to   io.Writer // nil: nothing was sent yet
	zip  *gzip.Writer
	stop error // why no more is sent
}

var (
	buffers = sync.Pool{New: func() any {
		b := make([]byte, 0, chunk+chunk/4)
		return &b
	}}
	zips = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is legal
		return z
	}}
)

// errHead stops the rendering for a client that wants the header only.
var errHead = errors.New("prom: header only")

// over tells that the client takes no more.
func (b *body) over() bool { return b.stop != nil }

// write sends a chunk that is not the last, and returns its room.
func (b *body) write(dst []byte) []byte {
	if b.to == nil {
		b.begin(len(dst))
	}
	b.send(dst)
	return dst[:0]
}

// end sends the last chunk.
func (b *body) end(dst []byte) {
	if b.to == nil && !b.over() {
		if !b.compress || len(dst) < worthwhile {
			b.w.Header().Set("Content-Length", strconv.Itoa(len(dst)))
		}
		b.begin(len(dst))
	}
	b.send(dst)
	if b.zip == nil {
		return
	}
	if !b.over() {
		b.stop = b.zip.Close()
	}
	b.zip.Reset(io.Discard) // lets go of the client
	zips.Put(b.zip)
	b.zip = nil
}

// begin sends the header of an answer of at least so many bytes.
func (b *body) begin(size int) {
	b.to = b.w
	if b.compress && size >= worthwhile {
		b.w.Header().Set("Content-Encoding", "gzip")
		if !b.head {
			b.zip = zips.Get().(*gzip.Writer)
			b.zip.Reset(b.w)
			b.to = b.zip
		}
	}
	b.w.WriteHeader(http.StatusOK)
	if b.head {
		b.stop = errHead
	}
}

func (b *body) send(dst []byte) {
	if !b.over() && len(dst) > 0 {
		_, b.stop = b.to.Write(dst)
	}
}
