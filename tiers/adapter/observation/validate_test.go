package observation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// names are where a name stands in a document, and the number fields where a
// number does.
var (
	names = map[string]func(*Document) *string{
		"identity.node":                  func(d *Document) *string { return &d.Identity.Node },
		"identity.instance":              func(d *Document) *string { return &d.Identity.Instance },
		"inventory.listeners[0].name":    func(d *Document) *string { return &d.Inventory.Listeners[0].Name },
		"inventory.listeners[1].address": func(d *Document) *string { return &d.Inventory.Listeners[1].Address },
		"inventory.listeners[1].owner":   func(d *Document) *string { return &d.Inventory.Listeners[1].Owner },
	}
	numbers = map[string]func(*Document) *int64{
		"sampled.ageMs":              func(d *Document) *int64 { return &d.Sampled.AgeMs },
		"capacity.connections.inUse": func(d *Document) *int64 { return &d.Capacity.Connections.InUse },
		"capacity.connections.limit": func(d *Document) *int64 { return &d.Capacity.Connections.Limit },
		"capacity.exchanges.inUse":   func(d *Document) *int64 { return &d.Capacity.Exchanges.InUse },
		"capacity.exchanges.limit":   func(d *Document) *int64 { return &d.Capacity.Exchanges.Limit },
		"capacity.buffers.inUse":     func(d *Document) *int64 { return &d.Capacity.Buffers.InUse },
		"capacity.buffers.limit":     func(d *Document) *int64 { return &d.Capacity.Buffers.Limit },
	}
)

// tryDocument wants of Append what it wants of Decode: the error want, or none.
func tryDocument(t *testing.T, d Document, want string) {
	t.Helper()
	written, err := d.Append([]byte("x"))
	check := func(what string, err error) {
		t.Helper()
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v, want no error", what, err)
		case want != "" && err == nil:
			t.Errorf("%s: no error, want %s", what, want)
		case want != "" && (!errors.Is(err, ErrInvalid) || err.Error() != "observation: invalid document: "+want):
			t.Errorf("%s:\n got %v\nwant ...%s", what, err, want)
		}
	}
	check("Append", err)
	if want != "" && string(written) != "x" {
		t.Errorf("Append wrote %q beside an error", written)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(want, "UTF-8") { // Marshal has put it right
		_, err = Decode(text)
		check("Decode", err)
	}
}

func TestNames(t *testing.T) {
	const (
		length  = "must be 1 to 200 bytes"
		letters = "must be without control characters, format characters and line separators"
	)
	for _, test := range []struct{ name, bound string }{
		{"a", ""},
		{" ", ""},
		{strings.Repeat("a", 200), ""},
		{strings.Repeat("é", 100), ""},
		{"\u00a0 <&> \"\\/ \ufffd ö 日本 😀", ""},
		{"", length},
		{strings.Repeat("a", 201), length},
		{strings.Repeat("é", 100) + "a", length},
		{"a\x00b", letters},
		{"a\tb", letters},
		{"a\n", letters},
		{"\x1b[31m", letters},
		{"\x1f", letters},
		{"\x7f", letters},
		{"\u0080", letters},
		{"\u009f", letters},
		{"soft\u00adhyphen", letters},
		{"\u200b", letters},
		{"\u200fmarked", letters},
		{"\u202eturned", letters},
		{"\u2028", letters},
		{"\u2029", letters},
		{"\ufeff", letters},
		{"\U000e0041", letters},
		{"a\xff", "must be valid UTF-8"},
		{"\xed\xa0\x80", "must be valid UTF-8"},
	} {
		if got := ValidName(test.name); got != (test.bound == "") {
			t.Errorf("ValidName(%q) = %v", test.name, got)
		}
		for field, at := range names {
			d := golden()
			*at(&d) = test.name
			want := ""
			if test.bound != "" {
				want = fmt.Sprintf("%s %+.32q: %s", field, test.name, test.bound)
			}
			tryDocument(t, d, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for field, at := range numbers {
		for n, good := range map[int64]bool{0: true, 1: true, 1<<53 - 1: true, 1 << 53: false, -1: false, 1<<63 - 1: false, -1 << 63: false} {
			d := golden()
			*at(&d) = n
			want := ""
			if !good {
				want = fmt.Sprintf("%s %d: must be 0 to 9007199254740991", field, n)
			}
			tryDocument(t, d, want)
		}
		// A number that no int64 has is refused before.
		for _, n := range []string{"9223372036854775808", "1e400", "-1e400", "9007199254740991.0", "0.5", "1e3", "-9223372036854775809", "NaN"} {
			d := golden()
			*at(&d) = 424242
			text, err := d.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			broken := strings.Replace(string(text), "424242", n, 1)
			if _, err := Decode([]byte(broken)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), field+" "+n+": must be ") {
				t.Errorf("%s %s: %v", field, n, err)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for _, version := range []string{"", "loopvitals.observation/2", "loopvitals.observation/1 ", "Loopvitals.observation/1", "loopvitals.observation/10"} {
		d := golden()
		d.Version = version
		tryDocument(t, d, fmt.Sprintf("version %q: must be loopvitals.observation/1", version))
	}
	for _, result := range []Result{"", "unknown", "Succeeded", "succeeded ", "ok"} {
		d := golden()
		d.Result = result
		tryDocument(t, d, fmt.Sprintf("result %q: must be succeeded or failed", result))
	}
	d := golden()
	d.Result = Failed
	tryDocument(t, d, "")
}

func TestTimes(t *testing.T) {
	for at, good := range map[string]bool{
		"2026-09-27T10:04:05Z":            true,
		"2026-09-27T10:04:05.1Z":          true,
		"2026-09-27T10:04:05.123456789Z":  true,
		"2024-02-29T23:59:59Z":            true,
		"0000-01-01T00:00:00Z":            true,
		"9999-12-31T23:59:59.999999999Z":  true,
		"":                                false,
		"now":                             false,
		"2026-09-27":                      false,
		"2026-09-27T10:04:05":             false,
		"2026-09-27 10:04:05Z":            false,
		"2026-09-27t10:04:05z":            false,
		"2026-09-27T10:04:05+00:00":       false,
		"2026-09-27T12:04:05+02:00":       false,
		"2026-09-27T10:04:05.Z":           false,
		"2026-09-27T10:04:05,1Z":          false,
		"2026-09-27T10:04:05.1234567890Z": false,
		"2026-09-27T10:04Z":               false,
		"2026-09-27T1:04:05Z":             false,
		"2026-9-27T10:04:05Z":             false,
		"2025-02-29T10:04:05Z":            false,
		"2026-04-31T10:04:05Z":            false,
		"2026-13-01T10:04:05Z":            false,
		"2026-00-01T10:04:05Z":            false,
		"2026-09-27T24:00:00Z":            false,
		"2026-06-30T23:59:60Z":            false,
		"12026-09-27T10:04:05Z":           false,
		"-026-09-27T10:04:05Z":            false,
		" 2026-09-27T10:04:05Z":           false,
		"2026-09-27T10:04:05Z ":           false,
		"２026-09-27T10:04:05Z":            false,
	} {
		d := golden()
		d.Sampled.At = at
		want := ""
		if !good {
			want = fmt.Sprintf("sampled.at %+.32q: must be an RFC 3339 time with Z and at most 9 digits of a second", at)
		}
		tryDocument(t, d, want)
	}
}

func TestListeners(t *testing.T) {
	many := func(n int) Document {
		d := golden()
		d.Inventory.Listeners = []Listener{}
		for i := range n {
			d.Inventory.Listeners = append(d.Inventory.Listeners, Listener{Name: fmt.Sprint(i), Address: "a", Owner: "o"})
		}
		return d
	}
	tryDocument(t, many(0), "")
	tryDocument(t, many(MaxListeners), "")
	tryDocument(t, many(MaxListeners+1), "inventory.listeners of 65: must be at most 64")

	d := many(3)
	d.Inventory.Listeners[2].Name = "0"
	tryDocument(t, d, `inventory.listeners[2].name "0": must not be another's`)
	d.Inventory.Listeners[2].Name = "O" // another one, byte by byte
	tryDocument(t, d, "")
}

// TestLargestDocumentFits shows that Append needs no limit of its own.
func TestLargestDocumentFits(t *testing.T) {
	longest := strings.Repeat("<", MaxNameBytes) // no byte is written longer
	d := golden()
	d.Identity = Identity{longest, longest}
	d.Sampled = Sampled{At: "2026-09-27T10:04:05.123456789Z", AgeMs: mostExact}
	d.Inventory = Inventory{Listeners: slices.Repeat([]Listener{{Address: longest, Owner: longest}}, MaxListeners)}
	for i := range d.Inventory.Listeners {
		d.Inventory.Listeners[i].Name = longest[2:] + fmt.Sprintf("%02d", i)
	}
	most := Use{mostExact, mostExact}
	d.Capacity = Capacity{most, most, most}
	text, err := d.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of %d", len(text), MaxBytes)
	if len(text) > MaxBytes || !utf8.Valid(text) {
		t.Errorf("the largest document has %d bytes, more than %d", len(text), MaxBytes)
	}
	if _, err := Decode(text); err != nil {
		t.Error(err)
	}
}
