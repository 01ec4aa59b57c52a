package observation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// documents makes every valid document.
func documents() *rapid.Generator[Document] {
	return rapid.Custom(func(t *rapid.T) Document {
		name := rapid.StringN(1, 60, MaxNameBytes).Filter(ValidName)
		number := rapid.Int64Range(0, mostExact)
		use := func(label string) Use { return Use{number.Draw(t, label), number.Draw(t, label)} }
		d := Document{
			Version:    Version,
			Identity:   Identity{name.Draw(t, "node"), name.Draw(t, "instance")},
			Result:     rapid.SampledFrom([]Result{Succeeded, Failed}).Draw(t, "result"),
			Sampled:    Sampled{At: validTimes().Draw(t, "at"), AgeMs: number.Draw(t, "age")},
			Pressure:   Pressure{rapid.Bool().Draw(t, "available")},
			Capacity:   Capacity{use("connections"), use("exchanges"), use("buffers")},
			Activation: Activation{rapid.Bool().Draw(t, "ready")},
			Native:     Native{rapid.Bool().Draw(t, "healthy"), rapid.Bool().Draw(t, "owner")},
		}
		d.Inventory.Complete = rapid.Bool().Draw(t, "complete")
		d.Inventory.Listeners = rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Listener {
			return Listener{name.Draw(t, "name"), name.Draw(t, "address"), name.Draw(t, "owner"), rapid.Bool().Draw(t, "live")}
		}), 0, 5, func(l Listener) string { return l.Name }).Draw(t, "listeners")
		return d
	})
}

func validTimes() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		number := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "part") }
		return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d%sZ", number(0, 9999), number(1, 12), number(1, 28),
			number(0, 23), number(0, 59), number(0, 59), rapid.StringMatching(`(\.[0-9]{1,9})?`).Draw(t, "fraction"))
	})
}

// TestRoundTrip wants every valid document back, also when another writer puts its
// fields in another order, with other white space and other escapes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := documents().Draw(t, "document")
		text, err := d.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, read); diff != "" {
			t.Fatal(diff)
		}

		var plain any
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatal(err)
		}
		other := rewrite(t, plain)
		read, err = Decode([]byte(other))
		if err != nil {
			t.Fatalf("%s: %v", other, err)
		}
		if diff := cmp.Diff(d, read); diff != "" {
			t.Fatalf("%s: %s", other, diff)
		}
	})
}

// rewrite writes value as an unusual but correct writer might.
func rewrite(t *rapid.T, value any) string {
	space := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n", "\t\r\n "}).Draw(t, "space") }
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(value))).Draw(t, "order") {
			parts = append(parts, space()+rewriteText(t, name)+space()+":"+rewrite(t, value[name]))
		}
		return space() + "{" + strings.Join(parts, ",") + space() + "}" + space()
	case []any:
		for _, item := range value {
			parts = append(parts, rewrite(t, item))
		}
		return space() + "[" + strings.Join(parts, ",") + space() + "]" + space()
	case string:
		return space() + rewriteText(t, value) + space()
	case float64:
		return fmt.Sprintf("%s%.0f%s", space(), value, space())
	}
	return fmt.Sprint(space(), value, space())
}

// rewriteText escapes some characters that need it not.
func rewriteText(t *rapid.T, text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		units := utf16.Encode([]rune{r})
		switch {
		case rapid.IntRange(0, 3).Draw(t, "escape") == 0 || r == '"' || r == '\\':
			for _, unit := range units {
				fmt.Fprintf(&b, rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "case"), unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
