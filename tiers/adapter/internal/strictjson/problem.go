package strictjson

import (
	"errors"
	"fmt"
	"strings"
)

// maxText bounds the text of an error, in bytes.
const maxText = 200

// problem is a refusal. Its path grows from the inside out while the decoder
// returns, so that reading costs nothing for it.
type problem struct {
	path  string // "inventory.listeners[3].name"; empty for the whole text
	value string // what was there, quoted where it is not plain; empty if nothing was
	bound string // "must be ..."
}

func refuse(value, bound string, args ...any) error {
	return &problem{value: value, bound: fmt.Sprintf(bound, args...)}
}

// within puts an error of refuse into an outer field or element.
func within(outer string, err error) error {
	var p *problem
	if !errors.As(err, &p) {
		return err
	}
	if p.path != "" && p.path[0] != '[' {
		outer += "."
	}
	p.path = outer + p.path
	return p
}

func (p *problem) Error() string {
	text := strings.TrimSpace(p.path+" "+p.value) + ": " + p.bound
	return text[:min(len(text), maxText)]
}

// quote makes text of the data printable ASCII on one line, and short.
func quote(text string) string { return fmt.Sprintf("%+.32q", text) }

// wordBytes are what numbers, true, false and null are made of, and what is
// written for them by mistake.
const wordBytes = "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// excerpt returns the token at the decoder's place: a number or word as it is, all
// else quoted.
func (d *decoder) excerpt() string {
	d.skipSpace()
	rest := string(d.data[d.at:min(len(d.data), d.at+128)])
	if rest == "" {
		return "end of text"
	}
	if rest[0] == '"' {
		text, _, _ := strings.Cut(rest[1:], `"`)
		return quote(text)
	}
	word := rest[:len(rest)-len(strings.TrimLeft(rest, wordBytes))]
	if word == "" {
		return quote(rest[:1])
	}
	return word[:min(len(word), 32)]
}
