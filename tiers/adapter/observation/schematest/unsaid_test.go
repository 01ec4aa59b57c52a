package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// unsaid is all that the decoder refuses and a schema cannot say, each with a
// change to the good document that shows it.
var unsaid = []struct {
	rule     string
	old, new string
	holds    func(text []byte) bool
}{
	{"no field twice", `"ageMs":12`, `"ageMs":12,"ageMs":12`, hasFieldTwice},
	{"no two listeners of one name", `"internal"`, `"public"`, hasListenerTwice},
	{"names of at most 200 bytes, not characters", `"orders-1"`, `"` + strings.Repeat("é", 101) + `"`, hasName(func(name string) bool {
		return len(name) > observation.MaxNameBytes
	})},
	{"no format characters in names", `"orders-1"`, "\"orders\u200b-1\"", hasName(func(name string) bool {
		return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Cf, r) })
	})},
	{"numbers in plain digits", `"ageMs":12`, `"ageMs":12.0`, hasNumber(".eE")},
	{"a day of the calendar", "2026-09-27T", "2026-02-29T", hasNoSuchDay},
	{"at most 256 KiB, with the white space", "}}\n", "}}" + strings.Repeat(" ", observation.MaxBytes), func(text []byte) bool {
		return len(text) > observation.MaxBytes
	}},
	{"valid UTF-8, which JSON readers put right", "orders-1", "orders\xff1", func(text []byte) bool { return !utf8.Valid(text) }},
	{"no half of a surrogate pair, which JSON readers put right", "orders-1", `\ud83d`, hasReplaced},
}

// Depth needs no row: what is deeper than a document has another type somewhere.

// explain names the rules of the table that the text breaks.
func explain(text []byte) []string {
	var rules []string
	for _, u := range unsaid {
		if u.holds(text) {
			rules = append(rules, u.rule)
		}
	}
	return rules
}

// TestUnsaid keeps the table true: what a row shows is accepted by the schema,
// refused by the decoder, and explained by that row alone.
func TestUnsaid(t *testing.T) {
	schema, good := compileSchema(t), goldenText(t)
	if rules := explain(good); rules != nil {
		t.Errorf("the good document breaks %q", rules)
	}
	for _, u := range unsaid {
		t.Run(u.rule, func(t *testing.T) {
			text := bytes.Replace(good, []byte(u.old), []byte(u.new), 1)
			if bytes.Equal(text, good) {
				t.Fatalf("%q is not in the document", u.old)
			}
			if err := validate(schema, text); err != nil {
				t.Errorf("the schema says it after all: %v", err)
			}
			if _, err := observation.Decode(text); err == nil {
				t.Error("the decoder accepts it")
			}
			if rules := explain(text); len(rules) != 1 || rules[0] != u.rule {
				t.Errorf("explained by %q", rules)
			}
		})
	}
}

// tokens visits what is in the text: names with their depth, and values.
func tokens(text []byte, visit func(token json.Token)) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
		visit(token)
	}
}

func hasFieldTwice(text []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	twice := false
	var read func()
	read = func() {
		switch token, _ := decoder.Token(); token {
		case json.Delim('{'):
			seen := map[string]bool{}
			for decoder.More() {
				name, err := decoder.Token()
				if err != nil {
					return
				}
				twice = twice || seen[fmt.Sprint(name)]
				seen[fmt.Sprint(name)] = true
				read()
			}
			_, _ = decoder.Token()
		case json.Delim('['):
			for decoder.More() {
				read()
			}
			_, _ = decoder.Token()
		}
	}
	read()
	return twice
}

// lenient reads what encoding/json reads, which is more than Decode.
func lenient(text []byte) (d observation.Document) {
	_ = json.Unmarshal(text, &d)
	return d
}

func hasListenerTwice(text []byte) bool {
	seen := map[string]bool{}
	for _, l := range lenient(text).Inventory.Listeners {
		if seen[l.Name] {
			return true
		}
		seen[l.Name] = true
	}
	return false
}

func hasName(bad func(name string) bool) func(text []byte) bool {
	return func(text []byte) bool {
		d := lenient(text)
		names := []string{d.Identity.Node, d.Identity.Instance}
		for _, l := range d.Inventory.Listeners {
			names = append(names, l.Name, l.Address, l.Owner)
		}
		for _, name := range names {
			if bad(name) {
				return true
			}
		}
		return false
	}
}

func hasNumber(with string) func(text []byte) bool {
	return func(text []byte) (found bool) {
		tokens(text, func(token json.Token) {
			number, is := token.(json.Number)
			found = found || is && strings.ContainsAny(number.String(), with)
		})
		return found
	}
}

func hasNoSuchDay(text []byte) bool {
	day, _, _ := strings.Cut(lenient(text).Sampled.At, "T")
	_, err := time.Parse(time.DateOnly, day)
	return err != nil && strings.Contains(err.Error(), "day out of range")
}

// hasReplaced finds a replacement character that is not in the text as such.
func hasReplaced(text []byte) (found bool) {
	if !utf8.Valid(text) {
		return false
	}
	plain := bytes.Count(text, []byte("\ufffd")) + bytes.Count(bytes.ToLower(text), []byte(`\ufffd`))
	read := 0
	tokens(text, func(token json.Token) { read += strings.Count(fmt.Sprint(token), "\ufffd") })
	return read > plain
}
