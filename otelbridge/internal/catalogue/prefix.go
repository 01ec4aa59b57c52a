package catalogue

import (
	"fmt"
	"regexp"
)

// maxPrefixBytes leaves room for the longest name within the 255 bytes that an
// instrument's name may have.
const maxPrefixBytes = 200

// prefixForm is the form of an instrument's name, with a separator at its end:
// "otopcua" without one would give "otopcualiveness.processor.status".
var prefixForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-/]*[._]$`)

// ValidatePrefix refuses what may not stand before every name. The error lacks
// the name of the package that asks.
func ValidatePrefix(prefix string) error {
	switch {
	case len(prefix) > maxPrefixBytes:
		return fmt.Errorf("name prefix of %d bytes: must be at most %d", len(prefix), maxPrefixBytes)
	case prefix != "" && !prefixForm.MatchString(prefix):
		return fmt.Errorf("name prefix %q: must be a letter, then letters, digits and _ . - /, with a dot or an underscore at the end", prefix)
	}
	return nil
}
