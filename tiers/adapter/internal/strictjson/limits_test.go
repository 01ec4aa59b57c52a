package strictjson

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	deep := func(levels int) string {
		return strings.Repeat(`{"in":[`, levels) + `{"in":[]}` + strings.Repeat(`]}`, levels)
	}
	const one = `{"in":[]}`
	for _, test := range []struct {
		name, data string
		limits     Limits
		want       string // nothing is no error
	}{
		{"as many bytes", one, Limits{len(one), 2}, ""},
		{"one more", one + " ", Limits{len(one), 2}, "text of 10 bytes: must be at most 9"},
		{"as deep", deep(3), Limits{1 << 10, 8}, ""},
		{"as deep twice over", `{"in":[{"in":[]},{"in":[{"in":[]}]}]}`, Limits{1 << 10, 6}, ""},
		{"as deep behind a list with elements", `{"in":[{"in":[{"in":[]}]},{"in":[{"in":[]}]}]}`, Limits{1 << 10, 6}, ""},
		{"a list deeper", deep(3), Limits{1 << 10, 7}, `in[0].in[0].in[0].in "[": must not be nested deeper`},
		{"an object deeper", deep(3), Limits{1 << 10, 6}, `in[0].in[0].in[0] "{": must not be nested deeper`},
		{"zero", one, Limits{}, "text of 9 bytes: must be at most 0"},
		{"zero depth", one, Limits{Bytes: 1 << 10}, `"{": must not be nested deeper`},
		{"negative", one, Limits{-1, -1}, "text of 9 bytes: must be at most -1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := Decode([]byte(test.data), test.limits, new(nested)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestDeepTexts goes a million levels down, where a recursive reader without a
// limit overflows its stack.
func TestDeepTexts(t *testing.T) {
	const levels = 1e6
	for name, level := range map[string]string{"lists": "[", "objects": `{"in":`, "both": `{"in":[`} {
		t.Run(name, func(t *testing.T) {
			data := strings.Repeat(level, levels)
			if err := Decode([]byte(data), Limits{len(data), 64}, new(nested)); err == nil {
				t.Error("no error")
			}
			if err := Decode([]byte(data), Limits{len(data), 64}, new(string)); err == nil {
				t.Error("no error for a text")
			}
		})
	}
}

// TestErrorsAreShort wants one short printable line, whatever is in the data.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("\u2028\x1b]0;", 500)
	for name, data := range map[string]string{
		"name":  `{"` + strings.Repeat("é\u202e", 1000) + `":1}`,
		"text":  `{"in":"` + long + `"}`,
		"word":  `{"in":` + strings.Repeat("x", 5000) + `}`,
		"path":  strings.Repeat(`{"in":[`, 100) + "null",
		"lines": "\v\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			err := Decode([]byte(data), Limits{1 << 20, 1000}, new(nested))
			if err == nil {
				t.Fatal("no error")
			}
			wantShort(t, err)
		})
	}
}

func wantShort(t *testing.T, err error) {
	t.Helper()
	if n := len(err.Error()); n > maxText {
		t.Errorf("error of %d bytes, at most %d", n, maxText)
	}
	for _, c := range []byte(err.Error()) {
		if c < ' ' || c > '~' {
			t.Fatalf("error has the byte %#x: %q", c, err)
		}
	}
}

func TestTargets(t *testing.T) {
	for name, test := range map[string]struct {
		into any
		want string
	}{
		"nil":         {nil, "target: must be a pointer that is not nil"},
		"nil pointer": {(*sample)(nil), "target: must be a pointer that is not nil"},
		"no pointer":  {sample{}, "target: must be a pointer that is not nil"},
		"a map":       {new(map[string]string), "of type map[string]string: must be of a type that can be read"},
		"a field of no type": {&struct {
			F float64 `json:"f"`
		}{}, "f of type float64: must be of a type that can be read"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Decode([]byte(`{"f":1}`), limits, test.into)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
