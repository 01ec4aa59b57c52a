package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// validate asks the schema about a text that is JSON at least.
func validate(schema *jsonschema.Schema, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// tally counts how often both said the same.
type tally struct{ accepted, refused, unsaid int }

// compare wants one verdict, or a row of the table of what a schema cannot say.
func (n *tally) compare(t interface{ Errorf(string, ...any) }, schema *jsonschema.Schema, text []byte) {
	_, decoderErr := observation.Decode(text)
	schemaErr := validate(schema, text)
	switch {
	case decoderErr == nil && schemaErr == nil:
		n.accepted++
	case decoderErr != nil && schemaErr != nil:
		n.refused++
	case decoderErr != nil && explain(text) != nil:
		n.unsaid++
	default:
		t.Errorf("%.2000s\ndecoder: %v\nschema: %v", text, decoderErr, schemaErr)
	}
}

// values are put in the place of others.
var values = func() []any {
	all := []any{nil, true, false}
	for _, composite := range []string{"{}", "[]", "[null]", "[[]]", `{"a":null}`} {
		all = append(all, json.RawMessage(composite))
	}
	for _, number := range []string{"0", "-0", "-1", "1", "9007199254740991", "9007199254740992", "9223372036854775808", "-9223372036854775809", "1e400", "-1e400", "1.0", "0.5", "1e3", "1E-2"} {
		all = append(all, json.Number(number))
	}
	for _, text := range []string{
		"", "a", " ", "0", "true", "orders-1", "public", "é😀\ufffd", "<&>\"\\/",
		strings.Repeat("a", 200), strings.Repeat("a", 201), strings.Repeat("é", 100), strings.Repeat("é", 101), strings.Repeat("é", 201),
		"\x00", "a\tb", "a\n", "\x1f", "\x7f", "\u0080", "\u009f", "\u00a0", "\u00ad", "\u200b", "\u2028", "\u2029", "\ufeff", "\U000e0041",
		"succeeded", "failed", "Succeeded", "unknown", observation.Version, observation.Version + "0", "loopvitals.observation/2",
		"2026-09-27T10:04:05Z", "2026-09-27T10:04:05.123456789Z", "2026-09-27T10:04:05.1234567890Z", "2026-09-27T10:04:05.Z", "2026-09-27T10:04:05,1Z",
		"2026-09-27T10:04:05+00:00", "2026-09-27t10:04:05z", "2026-09-27T1:04:05Z", "2026-09-27T24:04:05Z", "2026-09-27T23:59:60Z", "2026-09-27T10:60:05Z",
		"2026-02-29T10:04:05Z", "2024-02-29T10:04:05Z", "2026-13-01T10:04:05Z", "2026-00-10T10:04:05Z", "2026-01-32T10:04:05Z", "2026-01-00T10:04:05Z",
		"0000-01-01T00:00:00Z", "９026-09-27T10:04:05Z", "2026-09-27T10:04:05Z\n", "12026-09-27T10:04:05Z",
	} {
		all = append(all, text)
	}
	return all
}()

// place is where a value stands in a document.
type place struct {
	value   any
	replace func(any)
}

// places are all of a document, from the outside in.
func places(here place) []place {
	all := []place{here}
	switch value := here.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, places(place{value[name], func(other any) { value[name] = other }})...)
		}
	case []any:
		for i, item := range value {
			all = append(all, places(place{item, func(other any) { value[i] = other }})...)
		}
	}
	return all
}

// changes are ways to change a place: every value instead of its own, every field
// left out, misnamed, and accompanied by another, more elements and fewer.
func (p place) changes() []func() {
	var all []func()
	for _, other := range values {
		all = append(all, func() { p.replace(other) })
	}
	switch value := p.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, func() { delete(value, name) })
			for _, other := range []string{strings.ToUpper(name), capital(name), name + " ", name + "\u200b", ""} {
				all = append(all,
					func() { value[other] = value[name] },
					func() { value[other] = value[name]; delete(value, name) })
			}
		}
	case []any:
		for i, item := range value {
			all = append(all,
				func() { p.replace(slices.Delete(slices.Clone(value), i, i+1)) },
				func() { p.replace(append(slices.Clone(value), item)) })
		}
		for _, n := range []int{observation.MaxListeners, observation.MaxListeners + 1} {
			all = append(all, func() { p.replace(listeners(n)) })
		}
	}
	return all
}

func capital(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func listeners(n int) []any {
	var all []any
	for i := range n {
		all = append(all, map[string]any{"name": fmt.Sprint(i), "address": "a", "owner": "o", "live": true})
	}
	return all
}

// choice is a place and a change of it, both by number.
type choice struct{ place, change int }

// changed is the good document after changes, one after the other, each among those
// of the document as it then is.
func changed(t testing.TB, choices ...choice) []byte {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(goldenText(t)))
	if err != nil {
		t.Fatal(err)
	}
	root := func() place { return place{value, func(other any) { value = other }} }
	for _, c := range choices {
		where := places(root())
		how := where[c.place%len(where)].changes()
		how[c.change%len(how)]()
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSchemaAndDecoderAgree makes every single change of the good document, and
// then several at once, mostly such as the schema accepts.
func TestSchemaAndDecoderAgree(t *testing.T) {
	schema := compileSchema(t)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(goldenText(t)))
	if err != nil {
		t.Fatal(err)
	}
	var one, many tally
	var mild []choice
	for i, p := range places(place{value, func(any) {}}) {
		for j := range p.changes() {
			text := changed(t, choice{i, j})
			if validate(schema, text) == nil {
				mild = append(mild, choice{i, j})
			}
			one.compare(t, schema, text)
		}
	}
	t.Logf("one change: %+v", one)
	if one.accepted < 100 || one.refused < 1000 || one.unsaid < 10 {
		t.Error("too few of one kind to show anything")
	}
	rapid.Check(t, func(r *rapid.T) {
		choices := rapid.SliceOfN(rapid.SampledFrom(mild), 1, 6).Draw(r, "mild")
		if rapid.IntRange(0, 3).Draw(r, "wild") == 0 {
			number := rapid.IntRange(0, 1<<20)
			choices = append(choices, choice{number.Draw(r, "place"), number.Draw(r, "change")})
		}
		many.compare(r, schema, changed(t, choices...))
	})
	t.Logf("many changes: %+v", many)
}

// FuzzSchema compares them on any text that is JSON.
func FuzzSchema(f *testing.F) {
	schema, good := compileSchema(f), goldenText(f)
	f.Add(good)
	for _, u := range unsaid {
		if text := bytes.Replace(good, []byte(u.old), []byte(u.new), 1); len(text) < 1<<12 {
			f.Add(text)
		}
	}
	exponents := hasNumber("eE")
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) || exponents(text) {
			return // a validator reckons with 1e999999999 exactly, for hours
		}
		new(tally).compare(t, schema, text)
	})
}
