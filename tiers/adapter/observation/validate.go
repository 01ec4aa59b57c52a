package observation

import (
	"cmp"
	"fmt"
	"regexp"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxNameBytes bounds every name in a document.
const MaxNameBytes = 200

// mostExact is the largest whole number that every JSON reader has exactly.
const mostExact = 1<<53 - 1

// ValidName tells whether name may stand in a document, as a node, an instance,
// a listener, an address or an owner: valid UTF-8 of 1 to MaxNameBytes bytes
// without control or format characters or line separators, so that two names that
// look alike in a log are not two nodes.
func ValidName(name string) bool { return nameProblem(name) == "" }

func nameProblem(name string) string {
	if name == "" || len(name) > MaxNameBytes {
		return fmt.Sprintf("must be 1 to %d bytes", MaxNameBytes)
	}
	if !utf8.ValidString(name) {
		return "must be valid UTF-8"
	}
	for _, r := range name {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return "must be without control characters, format characters and line separators"
		}
	}
	return ""
}

// validate refuses what has the form of a document and cannot be one.
func (d Document) validate() error {
	if d.Version != Version {
		return invalid("version", d.Version, "must be "+Version)
	}
	if d.Result != Succeeded && d.Result != Failed {
		return invalid("result", string(d.Result), "must be succeeded or failed")
	}
	if !validTime(d.Sampled.At) {
		return invalid("sampled.at", d.Sampled.At, "must be an RFC 3339 time with Z and at most 9 digits of a second")
	}
	return cmp.Or(
		validName("identity.node", d.Identity.Node),
		validName("identity.instance", d.Identity.Instance),
		validNumber("sampled.ageMs", d.Sampled.AgeMs),
		d.Inventory.validate(),
		d.Capacity.Connections.validate("capacity.connections"),
		d.Capacity.Exchanges.validate("capacity.exchanges"),
		d.Capacity.Buffers.validate("capacity.buffers"),
	)
}

func (i Inventory) validate() error {
	if len(i.Listeners) > MaxListeners {
		return fmt.Errorf("inventory.listeners of %d: must be at most %d", len(i.Listeners), MaxListeners)
	}
	names := make(map[string]bool, len(i.Listeners))
	for n, l := range i.Listeners {
		field := func(name string) string { return fmt.Sprintf("inventory.listeners[%d].%s", n, name) }
		if err := cmp.Or(
			validName(field("name"), l.Name),
			validName(field("address"), l.Address),
			validName(field("owner"), l.Owner),
		); err != nil {
			return err
		}
		if names[l.Name] {
			return invalid(field("name"), l.Name, "must not be another's")
		}
		names[l.Name] = true
	}
	return nil
}

func (u Use) validate(field string) error {
	return cmp.Or(validNumber(field+".inUse", u.InUse), validNumber(field+".limit", u.Limit))
}

func validName(field, name string) error {
	if bound := nameProblem(name); bound != "" {
		return invalid(field, name, bound)
	}
	return nil
}

func validNumber(field string, n int64) error {
	if n < 0 || n > mostExact {
		return fmt.Errorf("%s %d: must be 0 to %d", field, n, int64(mostExact))
	}
	return nil
}

// spelling is the one that all readers of RFC 3339 agree on. Package time takes
// more: an hour of one digit, a comma for the point.
var spelling = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)

func validTime(at string) bool {
	if !spelling.MatchString(at) {
		return false
	}
	_, err := time.Parse(time.RFC3339, at) // there is such a day
	return err == nil
}

// invalid names a field, its value as printable ASCII, and what must be.
func invalid(field, value, bound string) error {
	return fmt.Errorf("%s %+.32q: %s", field, value, bound)
}
