package tiers

import (
	"bytes"
	"encoding/json"
)

// appendForeign appends what code that is not ours encodes. That code may
// panic, end its goroutine, fail, or write something that is not JSON, and a
// single bad byte would cost the reader the whole body: so it runs contained,
// and what it wrote is looked at before it is taken. It is given the room
// behind dst and never dst itself.
func appendForeign(dst []byte, encode func([]byte) ([]byte, error)) (_ []byte, ok bool) {
	var raw []byte
	var err error
	cause := contained(func() { raw, err = encode(dst[len(dst):]) })
	if cause != nil || err != nil {
		return dst, false
	}
	sound, html := inspect(raw)
	if !sound {
		return dst, false
	}
	if html {
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, raw)
		raw = escaped.Bytes()
	}
	return append(dst, raw...), true
}
