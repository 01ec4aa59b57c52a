package liveness

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string that is safe wherever a body may end
// up: what HTML or JavaScript could read as markup or as a line end is escaped,
// and invalid UTF-8 becomes U+FFFD, as encoding/json does it.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c != 0x7f {
				i++
				continue
			}
			dst = appendEscaped(append(dst, s[from:i]...), c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			from = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[from:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&0xf])
			from = i + size
		}
		i += size
	}
	return append(append(dst, s[from:]...), '"')
}

// appendEscaped appends an ASCII byte that may not stand for itself.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
