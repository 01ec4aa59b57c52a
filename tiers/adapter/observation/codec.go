package observation

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/loopvitals/loopvitals/tiers/adapter/internal/strictjson"
)

// MaxBytes bounds an encoded document, with the white space around it (S2.14).
// Every valid document that Append writes is smaller.
const MaxBytes = 256 << 10

// depth is how deep a document goes: itself, the inventory, its list, an entry.
const depth = 4

// ErrInvalid is what every refusal of Decode and Append wraps.
var ErrInvalid = errors.New("observation: invalid document")

// Decode reads one document and nothing after it but white space (S2.3). It
// refuses what has not the exact form, and what validly written says something
// that cannot be: a name that is no name, a result that is not known, a number
// out of range. Listeners is never nil.
//
// The error wraps ErrInvalid; its text is one short line of printable ASCII that
// names the field, and is for a log, never for an answer to a probe.
func Decode(data []byte) (Document, error) {
	var d Document
	err := strictjson.Decode(data, strictjson.Limits{Bytes: MaxBytes, Depth: depth}, &d)
	if err == nil {
		err = d.validate()
	}
	if err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return d, nil
}

// Append appends the encoded document and a line feed to dst. An invalid one is
// an error like that of Decode, and dst is returned as it was. A nil Listeners is
// written as an empty one.
func (d Document) Append(dst []byte) ([]byte, error) {
	if err := d.validate(); err != nil {
		return dst, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if d.Inventory.Listeners == nil {
		d.Inventory.Listeners = []Listener{}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return append(append(dst, text...), '\n'), nil
}

//go:embed schema.json
var schema []byte

// Schema returns a copy of the JSON Schema (draft 2020-12) of the documents. What
// Decode accepts, it accepts. It cannot say all that Decode refuses: a field that
// is there twice, two listeners of one name, a name of more bytes than it may have
// characters, format characters, numbers written with a point or an exponent, days
// that the calendar has not, a text that is too large, and bad UTF-8.
func Schema() []byte { return slices.Clone(schema) }
