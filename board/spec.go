package board

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// DefaultInterval is the interval of a Spec that sets none (S5.21).
const DefaultInterval = 250 * time.Millisecond

// MaxIDBytes is the longest key: an id, or an id with its rebuild version.
const MaxIDBytes = 200

const (
	maxInterval   = time.Duration(math.MaxInt64 / 5)
	rebuildMarker = "::rebuild::"
)

// The errors of Register, for errors.Is. Each comes wrapped with the field, the
// value and the bound.
var (
	ErrNoID            = errors.New("board: id is empty")
	ErrInvalidID       = errors.New("board: invalid id")
	ErrInvalidInterval = errors.New("board: invalid interval")
	ErrDuplicate       = errors.New("board: id is registered already")
	ErrFull            = errors.New("board: board is full")
)

// Spec describes a processor at its registration. Only ID is required.
type Spec struct {
	// ID names the processor: valid UTF-8 of 1 to 200 bytes without control,
	// format or line-separator characters and without "::rebuild::"; unique on
	// its board.
	ID string
	// Interval is the time of one turn of the loop when all is well. Zero is
	// DefaultInterval; it must not be negative, nor so long that five of it
	// overflow a time.Duration.
	Interval time.Duration
	// Rebuild is the version of a shadow rebuild, which is then a processor of
	// its own with the key "id::rebuild::version" (S5.11). The rules for ids
	// hold, and it must not contain "::". Empty: no rebuild.
	Rebuild string
	// Details is for people.
	Details
}

// key is the name under which the processor stands on the board.
func (s Spec) key() string {
	if s.Rebuild == "" {
		return s.ID
	}
	return s.ID + rebuildMarker + s.Rebuild
}

// past is what a first incarnation has to remember of its Spec, mostly nothing.
func (s Spec) past() *past {
	if s.Rebuild == "" && s.Details == (Details{}) {
		return nil
	}
	p := &past{rebuild: s.Rebuild != ""}
	if s.Details != (Details{}) {
		details := s.Details
		p.details = &details
	}
	return p
}

func (s Spec) validate() error {
	if s.ID == "" {
		return ErrNoID
	}
	if err := validName(s.ID); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidID, err)
	}
	if strings.Contains(s.ID, rebuildMarker) {
		return fmt.Errorf("%w: %q contains %q: set Spec.Rebuild instead", ErrInvalidID, s.ID, rebuildMarker)
	}
	if s.Rebuild != "" {
		if strings.Contains(s.Rebuild, "::") {
			return fmt.Errorf("%w: rebuild %q contains \"::\"", ErrInvalidID, s.Rebuild)
		}
		if err := validName(s.key()); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalidID, err)
		}
	}
	if s.Interval < 0 || s.Interval > maxInterval {
		return fmt.Errorf("%w: %v of %q: must be 0 to %v", ErrInvalidInterval, s.Interval, s.ID, maxInterval)
	}
	return nil
}

// validName refuses what would break a scrape, a log line or a JSON key.
func validName(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("empty: must be 1 to %d bytes", MaxIDBytes)
	case len(s) > MaxIDBytes:
		return fmt.Errorf("%q… has %d bytes: must be 1 to %d", s[:32], len(s), MaxIDBytes)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q: must be valid UTF-8", s)
	}
	for _, r := range s {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("%q: must not contain %U, a control, format or separator character", s, r)
		}
	}
	return nil
}
