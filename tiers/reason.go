package tiers

import (
	"errors"
	"unicode"
	"unicode/utf8"
)

// Explainer is what the error of an Admitter implements, or wraps, when clients may
// be told why they were refused. RequireActive then shows the text in the place of
// "not active".
//
// PublicReason returns a few words such as "not primary (role unknown)". They are
// shown to strangers, so they are a class and hold nothing secret. A text that is
// empty, longer than 256 bytes or not printable UTF-8 counts as none. Like Enter it
// returns at once.
type Explainer interface{ PublicReason() string }

// notActiveReason is what a closed gate says that gives no reason of its own.
const notActiveReason = "not active"

// maxReason bounds what a gate adds to an answer.
const maxReason = 256

// refusal is the error of a gate that has said why. Its reason is what came of asking
// for it once, so that whoever has the error calls no code of the gate.
type refusal struct {
	error
	reason string
}

// Unwrap returns the gate's own error.
func (r *refusal) Unwrap() error { return r.error }

// PublicReason implements Explainer.
func (r *refusal) PublicReason() string { return r.reason }

// explained returns the gate's error with the reason that it gives. Finding it is to
// call the author's code, and is contained like all of that: an error whose reason
// panics or blocks is still the gate's error, and has none.
func (g *guard) explained(refused error) error {
	explains, said := true, "" // until it turns out that it does not
	asked := g.ask(func() {
		var e Explainer
		if !errors.As(refused, &e) {
			explains = false
			return
		}
		said = e.PublicReason()
	}, nil)
	switch {
	case asked != nil:
		return &refusal{refused, ""}
	case !explains:
		return refused
	case !presentable(said):
		return &refusal{refused, ""}
	}
	return &refusal{refused, said}
}

// publicReason is what is said of a refusal that a guard returned.
func publicReason(refused error) string {
	//nolint:errorlint // it is outermost or not there, and to look inside would call the author's code
	if r, ok := refused.(*refusal); ok && r.reason != "" {
		return r.reason
	}
	return notActiveReason
}

// presentable tells whether the text can be shown to anybody.
func presentable(text string) bool {
	if len(text) > maxReason || !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
