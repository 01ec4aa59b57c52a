package tiers

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// maxWalk is how deep a survey follows pointers, interfaces and containers: a
// level of JSON is at most a container in an interface behind a pointer or two.
const maxWalk = 4 * maxDepth

// survey looks at a value before encoding/json gets it. It answers two things
// that json.Marshal tells too late or never: whether the value holds an error,
// whose exported fields may be what only the log may see (F51), and whether it
// is certainly longer than the room that is left for it. It follows what
// encoding/json follows, runs no code of others, and costs no more than the
// room.
type survey struct {
	room    int  // bytes that are left; negative is "too long"
	refused bool // an error was found, or no end
	known   map[reflect.Type]traits
}

// traits is what a type's methods say of its values.
type traits struct {
	isError bool // it or a pointer to it is an error
	encodes bool // it encodes itself
	byRef   bool // a pointer to it does
}

var (
	errorType = reflect.TypeFor[error]()
	jsonType  = reflect.TypeFor[json.Marshaler]()
	textType  = reflect.TypeFor[encoding.TextMarshaler]()
)

func (s *survey) traitsOf(t reflect.Type) traits {
	if known, ok := s.known[t]; ok {
		return known
	}
	ref := reflect.PointerTo(t)
	found := traits{
		isError: t.Implements(errorType) || ref.Implements(errorType),
		encodes: t.Implements(jsonType) || t.Implements(textType),
		byRef:   ref.Implements(jsonType) || ref.Implements(textType),
	}
	if s.known == nil {
		s.known = make(map[reflect.Type]traits)
	}
	s.known[t] = found
	return found
}

// over tells that there is nothing more to learn.
func (s *survey) over() bool { return s.refused || s.room < 0 }

// walk looks at v and all in it, and takes from the room the least that it can
// be written with. Depth counts what is followed, so that a ring ends.
func (s *survey) walk(v reflect.Value, depth int) {
	if s.room--; s.over() || !v.IsValid() {
		return
	}
	if depth > maxWalk {
		s.refused = true
		return
	}
	kind := v.Kind()
	if kind == reflect.Interface {
		s.walk(v.Elem(), depth+1)
		return
	}
	if kind == reflect.Pointer && v.IsNil() {
		return
	}
	switch is := s.traitsOf(v.Type()); {
	case is.isError:
		s.refused = true
		return
	case is.encodes, is.byRef && v.CanAddr():
		return // what it shows is its author's choice, as with AppendJSON
	}
	switch kind {
	case reflect.Pointer:
		s.walk(v.Elem(), depth+1)
	case reflect.String:
		s.room -= v.Len()
	case reflect.Slice, reflect.Array:
		s.list(v, depth)
	case reflect.Map:
		for entry := v.MapRange(); !s.over() && entry.Next(); {
			s.room -= len(`"":`)
			s.walk(entry.Key(), depth+1)
			s.walk(entry.Value(), depth+1)
		}
	case reflect.Struct:
		s.fields(v, depth)
	}
}

// list looks at the elements of a list. A byte has no methods that
// encoding/json would ask, so bytes are counted alone.
func (s *survey) list(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 && !s.traitsOf(v.Type().Elem()).isError {
		s.room -= v.Len()
		return
	}
	for i := 0; i < v.Len() && !s.over(); i++ {
		s.walk(v.Index(i), depth+1)
	}
}

// fields looks at the fields that encoding/json writes: the exported ones, and
// those of structs that are embedded, exported or not.
func (s *survey) fields(v reflect.Value, depth int) {
	t := v.Type()
	for i := 0; i < t.NumField() && !s.over(); i++ {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		if tag == "-" || !field.IsExported() && !field.Anonymous || mayOmit(tag) && isEmpty(v.Field(i)) {
			continue
		}
		if field.Anonymous {
			s.room++ // it may be written as nothing but its fields
		}
		s.walk(v.Field(i), depth+1)
	}
}

// mayOmit tells whether a field's tag has it left out when it is empty.
func mayOmit(tag string) bool {
	return strings.Contains(tag, ",omitempty") || strings.Contains(tag, ",omitzero")
}

// isEmpty is true for all that such a tag leaves out, and for nothing that has
// more to show than zeros.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice:
		return v.Len() == 0
	}
	return v.IsZero()
}
