package strictjson

import (
	"fmt"
	"reflect"
	"unicode/utf8"
)

// Limits bounds what is read at all. Zero of either refuses everything.
type Limits struct {
	Bytes int // of the whole text, white space included
	Depth int // of objects and arrays in each other; 1 is an object of plain values
}

// Decode reads one value, and nothing after it but white space, into what into
// points to: structs, slices, pointers, strings, bools and signed integers. A
// struct's fields are named by their json tags, and each is required unless the
// tag says omitempty; a pointer tells a missing field from an empty one.
//
// On an error into is as it was. The error's text is one line of at most 200
// bytes of printable ASCII, whatever the data were: it names the field by its
// path, what was there and what must be. Time and memory are linear in the data.
func Decode(data []byte, l Limits, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return refuse("target", "must be a pointer that is not nil")
	}
	if len(data) > l.Bytes {
		return refuse(fmt.Sprintf("text of %d bytes", len(data)), "must be at most %d", l.Bytes)
	}
	if at := invalidUTF8(data); at >= 0 {
		return refuse(fmt.Sprintf("byte %d", at), "must be valid UTF-8")
	}
	d := decoder{data: data, depth: l.Depth}
	fresh := reflect.New(target.Type().Elem()).Elem()
	if err := d.value(fresh); err != nil {
		return err
	}
	if d.skipSpace(); d.at < len(d.data) {
		return refuse(d.excerpt()+" after the end", "must be white space only")
	}
	target.Elem().Set(fresh)
	return nil
}

// invalidUTF8 returns where data stop being valid UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// decoder is a place in the data.
type decoder struct {
	data  []byte
	at    int
	depth int // how many more objects and arrays may be entered
}

// skipSpace goes to the next byte that is not white space.
func (d *decoder) skipSpace() {
	for d.at < len(d.data) {
		switch d.data[d.at] {
		case ' ', '\t', '\r', '\n':
			d.at++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, or 0 at the end. A zero
// byte in the data is no token either, so nobody needs to tell them apart.
func (d *decoder) peek() byte {
	d.skipSpace()
	if d.at == len(d.data) {
		return 0
	}
	return d.data[d.at]
}

// accept steps over the byte c if it is the next one.
func (d *decoder) accept(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.at++
	return true
}
