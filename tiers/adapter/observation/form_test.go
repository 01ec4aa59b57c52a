package observation

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// wantRefused wants an error of Decode that says want after the usual beginning.
func wantRefused(t *testing.T, text, want string) {
	t.Helper()
	got, err := Decode([]byte(text))
	text = text[:min(len(text), 1000)]
	switch {
	case err == nil:
		t.Errorf("%s: accepted", text)
	case !errors.Is(err, ErrInvalid):
		t.Errorf("%s: %v is not ErrInvalid", text, err)
	case err.Error() != "observation: invalid document: "+want:
		t.Errorf("%s:\n got %v\nwant ...%s", text, err, want)
	case got.Version != "" || got.Inventory.Listeners != nil:
		t.Errorf("%s: %+v beside an error", text, got)
	}
}

// TestEveryFieldIsExact breaks each field of each object in every way (S2.3).
func TestEveryFieldIsExact(t *testing.T) {
	cases := 0
	try := func(n *tree, want string) {
		t.Helper()
		cases++
		wantRefused(t, n.String(), want)
	}
	root := parseTree(t, goldenText(t))
	root.walk("", func(path string, object *tree) {
		whole := object.fields
		for i, f := range whole {
			name := join(path, f.name)
			object.fields = append(append([]field{}, whole[:i]...), whole[i+1:]...)
			try(root, name+": must be present")

			for j := range whole { // again, at every place behind it
				if j >= i {
					object.fields = append(append(append([]field{}, whole[:j+1]...), f), whole[j+1:]...)
					try(root, name+": must be there once only")
				}
			}
			object.fields = append([]field{}, whole...)
			for _, other := range []string{strings.ToUpper(f.name), strings.ToUpper(f.name[:1]) + f.name[1:], f.name + " ", f.name + "\u200b", "", f.name[1:]} {
				object.fields[i].name = other
				unknown := fmt.Sprintf("field %+q: must be a known one", other)
				try(root, strings.TrimSpace(path+" "+unknown))
			}
			object.fields[i].name = f.name
			for _, value := range []string{"null", `""`, `"1"`, "0", "1.5", "true", "[]", "{}", "[null]", `{"a":1}`} {
				if want := typeProblem(f.value, value); want != "" {
					object.fields[i].value = scalar(value)
					try(root, name+" "+want)
				}
			}
		}
		object.fields = append(append([]field{}, whole...), field{"extra", scalar("null")})
		try(root, strings.TrimSpace(path+` field "extra": must be a known one`))
		object.fields = whole
	})
	if _, err := Decode([]byte(root.String())); err != nil {
		t.Errorf("put together again: %v", err)
	}
	t.Logf("%d broken documents refused", cases)
	if cases < 400 {
		t.Errorf("%d cases, so most fields were not found", cases)
	}
}

// typeProblem says how a value of another type than good is refused, or nothing if
// it is of the same type.
func typeProblem(good *tree, value string) string {
	shown := value
	switch value[0] {
	case '[', '{':
		shown = fmt.Sprintf("%q", value[:1])
	}
	bound := map[byte]string{'{': "an object", '[': "a list"}[good.kind]
	if good.kind == 0 {
		bound = map[byte]string{'"': "text", 't': "true or false"}[good.scalar[0]]
		if bound == "" {
			bound = "a whole number in plain digits"
		}
	}
	same := good.kind == value[0] || good.kind == 0 &&
		(good.scalar[0] == value[0] || good.scalar[0] >= '0' && good.scalar[0] <= '9' && value == "0")
	if same {
		return ""
	}
	return shown + ": must be " + bound
}

func TestText(t *testing.T) {
	good := strings.TrimSpace(string(goldenText(t)))
	for name, test := range map[string]struct{ text, want string }{
		"nothing":                    {"", "end of text: must be an object"},
		"a list":                     {"[" + good + "]", `"[": must be an object`},
		"cut short":                  {good[:len(good)-1], "end of text: must be , or } after a field"},
		"trailing document":          {good + "\n" + good, `"{" after the end: must be white space only`},
		"trailing word":              {good + " ok", "ok after the end: must be white space only"},
		"trailing zero":              {good + "\x00", `"\x00" after the end: must be white space only`},
		"byte order mark":            {"\ufeff" + good, `"\xef": must be an object`},
		"bad UTF-8":                  {strings.Replace(good, "orders-1", "orders\xff1", 1), "byte 64: must be valid UTF-8"},
		"lone surrogate":             {strings.Replace(good, "orders-1", `\ud800`, 1), `identity.node "\\ud800": must have valid escapes, and no half of a surrogate pair`},
		"deep lists":                 {strings.Repeat("[", 1e5), `"[": must be an object`},
		"deep in a field":            {`{"identity":` + strings.Repeat("[", 1e5), `identity "[": must be an object`},
		"deep in a field of another": {strings.Replace(good, `"listeners":[`, `"listeners":[`+strings.Repeat("[", 1e5), 1), `inventory.listeners[0] "[": must be an object`},
		"a million deep":             {strings.Repeat(`{"a":`, 1e6), "text of 5000000 bytes: must be at most 262144"},
		"one byte too large":         {good + strings.Repeat(" ", MaxBytes+1-len(good)), "text of 262145 bytes: must be at most 262144"},
	} {
		t.Run(name, func(t *testing.T) { wantRefused(t, test.text, test.want) })
	}
	if _, err := Decode([]byte(good + strings.Repeat(" ", MaxBytes-len(good)))); err != nil {
		t.Errorf("as large as it may be: %v", err)
	}
}
