package redundancy

import (
	"errors"
	"fmt"
)

// Denial is why the primary gate denies (S4.26). The zero Denial is none.
type Denial uint8

const (
	// NotDenied serves.
	NotDenied Denial = iota
	// DeniedSecondary: another node is the primary.
	DeniedSecondary
	// DeniedDetached: this node does not hold the role.
	DeniedDetached
	// DeniedRoleUnknown: nobody has said yet what this node is, or the node
	// cannot tell whether that is still so, and it is not alone.
	DeniedRoleUnknown

	denialCount = int(DeniedRoleUnknown) + 1
)

var denialNames = [denialCount]string{"", "secondary", "detached", "role-unknown"}

// String returns the denial as metrics show it, "" for NotDenied.
func (d Denial) String() string {
	if int(d) < denialCount {
		return denialNames[d]
	}
	return fmt.Sprintf("Denial(%d)", uint8(d))
}

// ErrNotPrimary is what a DeniedError wraps.
var ErrNotPrimary = errors.New("not primary")

// DeniedError is the error of an operation that the primary gate has denied.
type DeniedError struct {
	Site   string
	Denial Denial
}

// Error says "not primary", or "not primary (role unknown)" (S4.30).
func (e *DeniedError) Error() string {
	text := "redundancy: "
	if e.Site != "" {
		text += e.Site + ": "
	}
	return text + e.PublicReason()
}

// PublicReason is Error without the site: what a client may be told. It is what
// package tiers shows in the place of "not active".
func (e *DeniedError) PublicReason() string {
	if e.Denial == DeniedRoleUnknown {
		return ErrNotPrimary.Error() + " (role unknown)"
	}
	return ErrNotPrimary.Error()
}

// Unwrap returns ErrNotPrimary.
func (e *DeniedError) Unwrap() error { return ErrNotPrimary }
