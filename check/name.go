package check

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// maxNameBytes bounds a name as it bounds a processor's id: it becomes a JSON
// key and a metric label.
const maxNameBytes = 200

// validName tells whether name can be an entry's key in every output. One
// name of invalid UTF-8 would turn a whole metrics scrape into an error.
func validName(name string) error {
	if name == "" {
		return fmt.Errorf("check: name %q: must not be empty", name)
	}
	if len(name) > maxNameBytes {
		return fmt.Errorf("check: name of %d bytes: must be at most %d", len(name), maxNameBytes)
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("check: name %q: must be valid UTF-8", name)
	}
	for _, r := range name {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("check: name %q: must not contain %U, a control, format or separator character", name, r)
		}
	}
	return nil
}
