package tiers

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzInspect compares with encoding/json: inspect takes nothing that
// json.Valid refuses, and refuses of what json.Valid takes only what has a key
// twice, is not UTF-8, or nests too deep.
func FuzzInspect(f *testing.F) {
	for _, s := range []string{
		``, ` `, `null`, `nul`, `nulll`, `true`, `false`, `tru e`, `0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5e`, `1e+`, `1E-5`, `-1.25e+10`, `+1`, `1 2`,
		`""`, `"`, `"a`, `"\"`, `"\n"`, `"\x"`, `"\u12"`, `"\u1234"`, `"\ud800"`, "\"\n\"", "\"\x7f\"", "\"\xff\"", `"é"`, `"<&>"`, "\"\u2028\"",
		`[]`, `[`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, ` [ 1 , "a" , null ] `, `[[[]]]`, `]`,
		`{}`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{1:2}`, `{"a":1,"b":[{"a":1},{"a":1}]}`, `{"a" 1}`, `{"a":1 "b":2}`, `}`,
		`{"a":1,"a":2}`, `{"a":1,"b":2,"a":3}`, `{"a":1,"\u0061":2}`, `{"x":{"a":1,"a":2}}`, `[{"a":1,"a":1}]`, `{"":1,"":2}`, `{"a":{"a":{"a":1}}}`,
		strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 1<<16), strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70),
		`1 `, "\v1", `{"a":1}x`, `nullnull`, "\x00", `"\`, `"\\"`, `{"\"":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		valid := json.Valid(raw)
		sound, html := inspect(raw)
		switch {
		case sound && (!valid || strange(raw)):
			t.Errorf("%q: taken", raw)
		case !sound && valid && utf8.Valid(raw) && !strange(raw):
			t.Errorf("%q: refused", raw)
		case sound && !html && strings.ContainsAny(string(raw), "<>&\u2028\u2029"):
			t.Errorf("%q: markup not seen", raw)
		}
	})
}

// strange tells whether valid JSON has a key twice or nests too deep, by way
// of encoding/json's tokens.
func strange(raw []byte) bool {
	type frame struct {
		keys map[string]bool // nil for a list
		key  bool            // a key comes next
	}
	var open []frame
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return false
		}
		if err != nil {
			return true
		}
		if n := len(open); n > 0 && open[n-1].keys != nil && token != json.Delim('}') {
			if open[n-1].key {
				key := token.(string)
				if open[n-1].keys[key] {
					return true
				}
				open[n-1].keys[key], open[n-1].key = true, false
				continue
			}
			open[n-1].key = true
		}
		switch token {
		case json.Delim('{'):
			open = append(open, frame{keys: map[string]bool{}, key: true})
		case json.Delim('['):
			open = append(open, frame{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > maxDepth+1 {
			return true
		}
	}
}

// TestInspectRefuses names what json.Valid would take.
func TestInspectRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"a key twice":          `{"a":1,"a":2}`,
		"a key twice, escaped": `{"a":1,"\u0061":2}`,
		"a key twice, apart":   `{"z":1,"a":2,"z":3}`,
		"a key twice, inside":  `[{"x":{"a":1,"a":2}}]`,
		"not UTF-8":            "\"\xff\"",
		"too deep":             strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
	} {
		if !json.Valid([]byte(raw)) {
			t.Fatalf("%s: is no JSON at all", name)
		}
		if sound, _ := inspect([]byte(raw)); sound {
			t.Errorf("%s: taken: %s", name, raw)
		}
	}
}
