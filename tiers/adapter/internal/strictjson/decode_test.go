package strictjson

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample has every type that can be read.
type sample struct {
	Name   string   `json:"name"`
	Live   bool     `json:"live"`
	Count  int64    `json:"count"`
	Small  int8     `json:"small"`
	Parts  []part   `json:"parts"`
	Words  []string `json:"words,omitempty"`
	Maybe  *string  `json:"maybe,omitempty"`
	Hidden string   `json:"-"`
	Bare   string
}

type part struct {
	Key string `json:"key"`
}

// nested is as deep as its text.
type nested struct {
	In []nested `json:"in"`
}

var limits = Limits{Bytes: 4 << 10, Depth: 3}

func text(of string) *string { return &of }

func TestDecodeAccepts(t *testing.T) {
	for _, test := range []struct {
		name, data string
		want       sample
	}{
		{
			"all fields", `{"name":"a","live":true,"count":-1,"small":-128,"parts":[{"key":"k"},{"key":""}],"words":["x"],"maybe":""}`,
			sample{Name: "a", Live: true, Count: -1, Small: -128, Parts: []part{{"k"}, {""}}, Words: []string{"x"}, Maybe: text("")},
		},
		{
			"without the optional ones, in another order", `{"parts":[],"small":127,"count":9223372036854775807,"live":false,"name":""}`,
			sample{Small: 127, Count: math.MaxInt64, Parts: []part{}},
		},
		{
			"white space everywhere", " \t\r\n{ \"name\" : \"\" , \"live\" : true , \"count\" : 0 , \"small\" : -0 ,\n\"parts\" : [ { \"key\" : \"\" } ] } \n\n",
			sample{Live: true, Parts: []part{{}}},
		},
		{
			"the least number", `{"name":"","live":true,"count":-9223372036854775808,"small":0,"parts":[]}`,
			sample{Live: true, Count: math.MinInt64, Parts: []part{}},
		},
		{
			"escapes, also in a name", `{"n\u0061me":"\"\\\/\b\f\n\r\t\u0000\u00e9\uD83D\ude00\ufffd\ud7ff\uE000é😀","live":true,"count":0,"small":0,"parts":[]}`,
			sample{Name: "\"\\/\b\f\n\r\t\x00é😀\ufffd\ud7ff\ue000é😀", Live: true, Parts: []part{}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := sample{Name: "old", Words: []string{"old"}, Maybe: text("old")} // nothing of it may stay
			if err := Decode([]byte(test.data), limits, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	// with puts a value in the place of a field's, within an otherwise good text.
	with := func(field, value string) string {
		values := map[string]string{"name": `""`, "live": "true", "count": "0", "small": "0", "parts": "[]"}
		values[field] = value
		var members []string
		for _, name := range []string{"name", "live", "count", "small", "parts", "words", "maybe"} {
			if values[name] != "" {
				members = append(members, `"`+name+`":`+values[name])
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for _, test := range []struct{ name, data, want string }{
		{"nothing", "", "end of text: must be an object"},
		{"white space", " \n", "end of text: must be an object"},
		{"a byte order mark", "\ufeff{}", `"\xef": must be an object`},
		{"another space", "\u00a0{}", `"\xc2": must be an object`},
		{"null", "null", "null: must be an object"},
		{"a list", "[]", `"[": must be an object`},
		{"a comment", "/**/{}", `"/": must be an object`},
		{"cut short", `{"name"`, "name end of text: must be : after the name"},
		{"cut short in a text", `{"name":"a`, `name "a": must end with a quote`},
		{"cut short after an escape", `{"name":"a\`, `name "a\\": must have valid escapes, and no half of a surrogate pair`},
		{"cut short after a value", `{"name":""`, "end of text: must be , or } after a field"},
		{"a comma at the end", `{"name":"",}`, `"}": must be the name of a field`},
		{"two commas", `{"name":"",,"live":true}`, `",": must be the name of a field`},
		{"a name that is no text", `{name:""}`, "name: must be the name of a field"},
		{"no colon", `{"name" ""}`, `name "": must be : after the name`},
		{"trailing object", with("", "") + "{}", `"{" after the end: must be white space only`},
		{"trailing brace", with("", "") + "}", `"}" after the end: must be white space only`},
		{"trailing zero byte", with("", "") + "\x00", `"\x00" after the end: must be white space only`},
		{"a zero byte between", "{\x00}", `"\x00": must be the name of a field`},
		{"zero bytes for the end", "\x00", `"\x00": must be an object`},

		{"missing", `{"name":"","live":true,"count":0,"parts":[]}`, "small: must be present"},
		{"missing in an element", with("parts", `[{"key":""},{}]`), "parts[1].key: must be present"},
		{"twice", `{"name":"","name":""}`, "name: must be there once only"},
		{"twice by an escape", `{"name":"","n\u0061me":""}`, "name: must be there once only"},
		{"twice in an element", with("parts", `[{"key":"","key":""}]`), "parts[0].key: must be there once only"},
		{"an optional one twice", `{"maybe":"","maybe":""}`, "maybe: must be there once only"},
		{"unknown", `{"nama":""}`, `field "nama": must be a known one`},
		{"unknown in an element", with("parts", `[{"kex":""}]`), `parts[0] field "kex": must be a known one`},
		{"of another case", `{"Name":""}`, `field "Name": must be a known one`},
		{"a name that folds to another", `{"\u212aey":""}`, `field "\u212aey": must be a known one`},
		{"hidden", `{"-":""}`, `field "-": must be a known one`},
		{"hidden, by its name", `{"Hidden":""}`, `field "Hidden": must be a known one`},
		{"without a tag", `{"Bare":""}`, `field "Bare": must be a known one`},
		{"with no name", `{"":""}`, `field "": must be a known one`},

		{"text: null", with("name", "null"), "name null: must be text"},
		{"text: number", with("name", "1"), "name 1: must be text"},
		{"text: bool", with("name", "true"), "name true: must be text"},
		{"text: list", with("name", `["a"]`), `name "[": must be text`},
		{"text: object", with("name", `{}`), `name "{": must be text`},
		{"text: other quotes", with("name", `'a'`), `name "'": must be text`},
		{"optional text: null", with("maybe", "null"), "maybe null: must be text"},
		{"bool: null", with("live", "null"), "live null: must be true or false"},
		{"bool: text", with("live", `"true"`), `live "true": must be true or false`},
		{"bool: number", with("live", "1"), "live 1: must be true or false"},
		{"bool: another case", with("live", "True"), "live True: must be true or false"},
		{"bool: cut short", with("live", "tru"), "live tru: must be true or false"},
		{"bool: and more", with("live", "truer"), "r: must be , or } after a field"},
		{"list: null", with("parts", "null"), "parts null: must be a list"},
		{"list: object", with("parts", "{}"), `parts "{": must be a list`},
		{"list: text", with("parts", `"[]"`), `parts "[]": must be a list`},
		{"list: null in it", with("parts", `[null]`), "parts[0] null: must be an object"},
		{"list: of another type", with("words", `["a",1]`), "words[1] 1: must be text"},
		{"list: a comma at the end", with("words", `["a",]`), `words[1] "]": must be text`},
		{"list: no comma", with("words", `["a" "b"]`), `words "b": must be , or ] after an element`},
		{"list: not closed", with("words", `["a"`), `words "}": must be , or ] after an element`},

		{"number: null", with("count", "null"), "count null: must be a whole number in plain digits"},
		{"number: text", with("count", `"1"`), `count "1": must be a whole number in plain digits`},
		{"number: bool", with("count", "true"), "count true: must be a whole number in plain digits"},
		{"number: nothing", with("count", " "), `count ",": must be a whole number in plain digits`},
		{"number: fraction", with("count", "1.0"), "count 1.0: must be a whole number in plain digits"},
		{"number: exponent", with("count", "1e3"), "count 1e3: must be a whole number in plain digits"},
		{"number: huge", with("count", "1e400"), "count 1e400: must be a whole number in plain digits"},
		{"number: leading zero", with("count", "01"), "count 01: must be a whole number in plain digits"},
		{"number: leading zeros", with("count", "-00"), "count -00: must be a whole number in plain digits"},
		{"number: plus", with("count", "+1"), "count +1: must be a whole number in plain digits"},
		{"number: minus alone", with("count", "-"), "count -: must be a whole number in plain digits"},
		{"number: two minus", with("count", "--1"), "count --1: must be a whole number in plain digits"},
		{"number: minus inside", with("count", "1-1"), "count 1-1: must be a whole number in plain digits"},
		{"number: hexadecimal", with("count", "0x1"), `x1: must be , or } after a field`},
		{"number: grouped", with("count", "1_000"), `"_": must be , or } after a field`},
		{"number: not a number", with("count", "NaN"), "count NaN: must be a whole number in plain digits"},
		{"number: one too many", with("count", "9223372036854775808"), "count 9223372036854775808: must be -9223372036854775808 to 9223372036854775807"},
		{"number: one too few", with("count", "-9223372036854775809"), "count -9223372036854775809: must be -9223372036854775808 to 9223372036854775807"},
		{"number: too many for its type", with("small", "128"), "small 128: must be -128 to 127"},
		{"number: of a thousand digits", with("count", strings.Repeat("9", 1000)), "count 99999999999999999999999999999999: must be -9223372036854775808 to 9223372036854775807"},

		{"control character", with("name", "\"a\nb\""), `name "a\nb": must have its control characters escaped`},
		{"zero byte in a text", with("name", "\"\x00\""), `name "\x00": must have its control characters escaped`},
		{"control character after an escape", with("name", "\"\\n\x1f\""), `name "\\n\x1f": must have its control characters escaped`},
		{"unknown escape", with("name", `"\x"`), `name "\\x": must have valid escapes, and no half of a surrogate pair`},
		{"short escape", with("name", `"\u12"`), `name "\\u12": must have valid escapes, and no half of a surrogate pair`},
		{"escape that is no number", with("name", `"\u+123"`), `name "\\u+123": must have valid escapes, and no half of a surrogate pair`},
		{"high surrogate alone", with("name", `"\ud800"`), `name "\\ud800": must have valid escapes, and no half of a surrogate pair`},
		{"high surrogate before a letter", with("name", `"\ud800a"`), `name "\\ud800a": must have valid escapes, and no half of a surrogate pair`},
		{"high surrogate before another", with("name", `"\ud800\ud800"`), `name "\\ud800\\ud800": must have valid escapes, and no half of a surrogate pair`},
		{"low surrogate alone", with("name", `"\udc00"`), `name "\\udc00": must have valid escapes, and no half of a surrogate pair`},
		{"surrogates the wrong way round", with("name", `"\udc00\ud800"`), `name "\\udc00\\ud800": must have valid escapes, and no half of a surrogate pair`},
		{"surrogate in a name", `{"\ud800":1}`, `"\\ud800": must have valid escapes, and no half of a surrogate pair`},

		{"bad UTF-8 in a text", with("name", "\"\xff\""), "byte 9: must be valid UTF-8"},
		{"overlong UTF-8", "{\"\xc0\xa2", "byte 2: must be valid UTF-8"},
		{"a surrogate in UTF-8", "\xed\xa0\x80", "byte 0: must be valid UTF-8"},
		{"bad UTF-8 after the end", with("", "") + "\x80", "byte 54: must be valid UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := sample{Name: "old"}
			err := Decode([]byte(test.data), limits, &got)
			if err == nil {
				t.Fatalf("%s: no error", test.data)
			}
			if err.Error() != test.want {
				t.Errorf("%s:\n got %s\nwant %s", test.data, err, test.want)
			}
			if diff := cmp.Diff(sample{Name: "old"}, got); diff != "" {
				t.Errorf("changed although refused: %s", diff)
			}
		})
	}
}
