package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// pretty lays JSON out for people: what fits on a line of the given width stays
// on one line, numbers and words fill lines, and objects begin new ones. Only
// white space is changed, so what is shown is what was sent.
func pretty(body []byte, indent string, width int) string {
	var compact bytes.Buffer
	if json.Compact(&compact, body) != nil {
		return indent + string(body)
	}
	p := &printer{width: width}
	p.line(indent)
	p.value(compact.Bytes())
	return p.out.String()
}

type printer struct {
	out    strings.Builder
	width  int
	column int
	indent string // of the line in progress
	closed bool   // that line began with a closing bracket
}

func (p *printer) write(s string) {
	p.out.WriteString(s)
	p.column += len([]rune(s))
}

func (p *printer) line(indent string) {
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	p.column, p.indent, p.closed = 0, indent, false
	p.write(indent)
}

// value writes v at the present place.
func (p *printer) value(v []byte) {
	flat := spaced(v)
	if !isContainer(v) || p.fits(flat) {
		p.write(flat)
		return
	}
	base, deeper, nested := p.indent, p.indent+"  ", false
	p.write(string(v[0]))
	for i, m := range members(v) {
		key, value := cutKey(m, v[0])
		flat := key + spaced(value)
		p.comma(i)
		switch {
		case isContainer(value) && (nested || v[0] == '[' || len([]rune(deeper+flat)) < p.width),
			!isContainer(value) && !p.fits(" "+flat),
			isContainer(value) && !p.fits(" "+key+"{"):
			p.line(deeper)
		case i > 0:
			p.write(" ")
		}
		p.write(key)
		p.value(value)
		nested = isContainer(value)
	}
	p.close(base, nested, v[len(v)-1])
}

// close ends a container that began on a line of indent base.
func (p *printer) close(base string, nested bool, bracket byte) {
	if nested && !(p.closed && p.indent == base) {
		p.line(base)
		p.closed = true
	}
	p.write(string(bracket))
}

// fits leaves room for a comma or a bracket.
func (p *printer) fits(s string) bool { return p.column+len([]rune(s)) < p.width }

func (p *printer) comma(i int) {
	if i > 0 {
		p.write(",")
	}
}

func isContainer(v []byte) bool { return (v[0] == '{' || v[0] == '[') && len(v) > 2 }

// members splits a compact object or array at its own commas.
func members(v []byte) (parts [][]byte) {
	start, depth := 1, 0
	scan(v, func(i int, c byte) {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if (depth == 0 || depth == 1 && c == ',') && i > start {
			parts = append(parts, v[start:i])
			start = i + 1
		}
	})
	return parts
}

// cutKey splits a member of an object; a member of an array has no key.
func cutKey(member []byte, within byte) (key string, value []byte) {
	if within == '[' {
		return "", member
	}
	colon := -1
	scan(member, func(i int, c byte) {
		if c == ':' && colon < 0 {
			colon = i
		}
	})
	return string(member[:colon]) + ": ", member[colon+1:]
}

// spaced puts a blank after every comma and colon.
func spaced(v []byte) string {
	var out strings.Builder
	last := 0
	scan(v, func(i int, c byte) {
		if c == ',' || c == ':' {
			out.Write(v[last : i+1])
			out.WriteByte(' ')
			last = i + 1
		}
	})
	out.Write(v[last:])
	return out.String()
}

// scan calls visit for every byte outside strings.
func scan(v []byte, visit func(i int, c byte)) {
	quoted := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted:
			visit(i, c)
		}
	}
}
