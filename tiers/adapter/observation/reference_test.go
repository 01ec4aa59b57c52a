package observation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

// readByReference is a second reading of the form, made of encoding/json alone,
// which is lenient nearly everywhere: it finds what was overlooked by reading the
// text again without types, and comparing.
func readByReference(text []byte) (Document, error) {
	var d Document
	switch {
	case len(text) > MaxBytes:
		return d, errors.New("too large")
	case !utf8.Valid(text):
		return d, errors.New("not UTF-8")
	case loneSurrogate(text):
		return d, errors.New("a lone surrogate, which encoding/json replaces")
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, err
	}
	found, err := readUntyped(text)
	if err != nil {
		return d, err
	}
	// What is missing, null, or of another case has been read as if it were there,
	// and shows up when the document is written again.
	again, err := json.Marshal(d)
	if err != nil {
		return d, err
	}
	wanted, err := readUntyped(again)
	if err != nil {
		return d, err
	}
	if !reflect.DeepEqual(found, wanted) {
		return d, fmt.Errorf("not exact: %v and not %v", found, wanted)
	}
	return d, d.validate()
}

// readUntyped reads objects as maps, and refuses a name that is there twice.
func readUntyped(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := readValue(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more after the end")
	}
	return value, nil
}

func readValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			if _, there := object[name.(string)]; there {
				return nil, fmt.Errorf("%q twice", name)
			}
			if object[name.(string)], err = readValue(d); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			item, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = d.Token()
		return list, err
	case json.Number("-0"):
		return json.Number("0"), nil
	}
	return token, nil
}

// surrogates finds whole pairs, and halves, in what \u escapes there are.
var surrogates = regexp.MustCompile(`(?i)\\u(d[89ab]..\\ud[c-f]..|d[89a-f]..)`)

func loneSurrogate(text []byte) bool {
	escapes := strings.ReplaceAll(string(text), `\\`, "-") // an escaped backslash begins no other escape
	for _, found := range surrogates.FindAllString(escapes, -1) {
		if len(found) == len(`\ud800`) {
			return true
		}
	}
	return false
}
