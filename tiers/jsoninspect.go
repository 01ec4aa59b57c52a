package tiers

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// inspect tells whether raw is one sound JSON value: correct in grammar, valid
// UTF-8, not nested deeper than maxDepth and, what json.Valid does not ask,
// with no key twice in one object. html tells that it holds characters that
// must be escaped. One pass, no allocation for objects without escaped keys
// once the key list has grown; json.Valid alone takes several times as long.
func inspect(raw []byte) (sound, html bool) {
	if !utf8.Valid(raw) {
		return false, false
	}
	in := inspector{raw: raw}
	if !in.value(0) {
		return false, false
	}
	in.space()
	return in.at == len(raw), in.html
}

// inspector is the state of one inspection: a recursive descent over raw.
type inspector struct {
	raw  []byte
	at   int
	html bool
	keys [][]byte // the keys of the objects that are open, innermost last
}

func (in *inspector) peek() byte {
	if in.at < len(in.raw) {
		return in.raw[in.at]
	}
	return 0
}

func (in *inspector) space() {
	for in.at < len(in.raw) {
		switch in.raw[in.at] {
		case ' ', '\t', '\n', '\r':
			in.at++
		default:
			return
		}
	}
}

// take skips one byte when it is c.
func (in *inspector) take(c byte) bool {
	if in.peek() != c {
		return false
	}
	in.at++
	return true
}

func (in *inspector) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	in.space()
	switch c := in.peek(); c {
	case '{':
		return in.object(depth)
	case '[':
		return in.array(depth)
	case '"':
		_, ok := in.text()
		return ok
	case 't':
		return in.word("true")
	case 'f':
		return in.word("false")
	case 'n':
		return in.word("null")
	}
	return in.number()
}

func (in *inspector) word(w string) bool {
	if !bytes.HasPrefix(in.raw[in.at:], []byte(w)) {
		return false
	}
	in.at += len(w)
	return true
}

func (in *inspector) array(depth int) bool {
	in.at++
	in.space()
	if in.take(']') {
		return true
	}
	for in.value(depth + 1) {
		in.space()
		if in.take(']') {
			return true
		}
		if !in.take(',') {
			return false
		}
	}
	return false
}

func (in *inspector) object(depth int) bool {
	in.at++
	in.space()
	if in.take('}') {
		return true
	}
	first := len(in.keys)
	for {
		in.space()
		key, ok := in.text()
		if !ok {
			return false
		}
		in.keys = append(in.keys, key)
		in.space()
		if !in.take(':') || !in.value(depth+1) {
			return false
		}
		in.space()
		if in.take('}') {
			unique := distinct(in.keys[first:])
			in.keys = in.keys[:first]
			return unique
		}
		if !in.take(',') {
			return false
		}
	}
}

// distinct sorts keys and tells whether all differ.
func distinct(keys [][]byte) bool {
	slices.SortFunc(keys, bytes.Compare)
	for i := 1; i < len(keys); i++ {
		if bytes.Equal(keys[i-1], keys[i]) {
			return false
		}
	}
	return true
}

// text skips a string and returns what it says.
func (in *inspector) text() (said []byte, ok bool) {
	if !in.take('"') {
		return nil, false
	}
	start, escapes := in.at, false
	for in.at < len(in.raw) {
		c := in.raw[in.at]
		in.at++
		switch {
		case c == '"':
			if !escapes {
				return in.raw[start : in.at-1], true
			}
			return unquote(in.raw[start-1 : in.at])
		case c == '\\':
			escapes = true
			in.at++ // what follows is judged by unquote
		case c < ' ':
			return nil, false
		case c == '<', c == '>', c == '&', c == 0xe2:
			in.html = true // 0xe2 begins the two line separators
		}
	}
	return nil, false
}

// unquote reads a string that holds escapes, and refuses bad ones.
func unquote(quoted []byte) ([]byte, bool) {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return nil, false
	}
	return []byte(s), true
}

// number skips a number: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (in *inspector) number() bool {
	in.take('-')
	if !in.take('0') && !in.digits() {
		return false
	}
	if in.take('.') && !in.digits() {
		return false
	}
	if in.take('e') || in.take('E') {
		if !in.take('+') {
			in.take('-')
		}
		return in.digits()
	}
	return true
}

// digits skips at least one digit.
func (in *inspector) digits() bool {
	start := in.at
	for c := in.peek(); '0' <= c && c <= '9'; c = in.peek() {
		in.at++
	}
	return in.at > start
}
