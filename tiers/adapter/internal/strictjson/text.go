package strictjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string, at whose opening quote the decoder is.
func (d *decoder) text() (string, error) {
	rest := d.data[d.at+1:]
	if end := bytes.IndexAny(rest, "\"\\"); end >= 0 && rest[end] == '"' && !hasControl(rest[:end]) {
		d.at += 1 + end + 1
		return string(rest[:end]), nil // nothing escaped, as nearly always
	}
	var text []byte
	for i := 0; i < len(rest); {
		switch c := rest[i]; {
		case c == '"':
			d.at += 1 + i + 1
			return string(text), nil
		case c < ' ':
			return "", refuse(d.excerpt(), "must have its control characters escaped")
		case c != '\\':
			text = append(text, c)
			i++
		default:
			r, size := unescape(rest[i:])
			if size == 0 {
				return "", refuse(d.excerpt(), "must have valid escapes, and no half of a surrogate pair")
			}
			text = utf8.AppendRune(text, r)
			i += size
		}
	}
	return "", refuse(d.excerpt(), "must end with a quote")
}

func hasControl(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' })
}

// short are the escapes of one letter.
var short = map[byte]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescape reads the escape that text begins with; size is 0 if it is none.
func unescape(text []byte) (r rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	if r, ok := short[text[1]]; ok {
		return r, 2
	}
	r, ok := hex(text)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	low, ok := hex(text[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0 // one half of a pair is no character
	}
	return r, 12
}

// hex reads \u and four digits.
func hex(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
