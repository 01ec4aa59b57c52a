package strictjson

import (
	"reflect"
	"slices"
	"strings"
)

// field is one field of a struct, by its json tag.
type field struct {
	name     string
	index    int
	required bool
	seen     bool
}

// fieldsOf lists the fields of a struct. A field without a tag is not read.
func fieldsOf(t reflect.Type) []field {
	var all []field
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if t.Field(i).IsExported() && name != "" && name != "-" {
			optional := slices.Contains(strings.Split(options, ","), "omitempty")
			all = append(all, field{name: name, index: i, required: !optional})
		}
	}
	return all
}

// object reads a struct.
func (d *decoder) object(v reflect.Value) error {
	if err := d.enter('{', "an object"); err != nil {
		return err
	}
	defer d.leave()
	fields := fieldsOf(v.Type())
	if !d.accept('}') {
		for {
			if err := d.member(v, fields); err != nil {
				return err
			}
			if d.accept('}') {
				break
			}
			if !d.accept(',') {
				return refuse(d.excerpt(), "must be , or } after a field")
			}
		}
	}
	for _, f := range fields {
		if f.required && !f.seen {
			return within(f.name, refuse("", "must be present"))
		}
	}
	return nil
}

// member reads one name and its value.
func (d *decoder) member(v reflect.Value, fields []field) error {
	if d.peek() != '"' {
		return refuse(d.excerpt(), "must be the name of a field")
	}
	name, err := d.text()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return refuse("field "+quote(name), "must be a known one")
	}
	f := &fields[i]
	if f.seen {
		return within(f.name, refuse("", "must be there once only"))
	}
	f.seen = true
	if !d.accept(':') {
		return within(f.name, refuse(d.excerpt(), "must be : after the name"))
	}
	if err := d.value(v.Field(f.index)); err != nil {
		return within(f.name, err)
	}
	return nil
}
