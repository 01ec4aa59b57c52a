package strictjson

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// value reads one value into v, whose type says what must be there.
func (d *decoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Struct:
		return d.object(v)
	case reflect.Slice:
		return d.array(v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem())
	case reflect.String:
		if d.peek() != '"' {
			return refuse(d.excerpt(), "must be text")
		}
		text, err := d.text()
		v.SetString(text)
		return err
	case reflect.Bool:
		return d.truth(v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return d.whole(v)
	default:
		return refuse(fmt.Sprintf("of type %s", v.Type()), "must be of a type that can be read")
	}
}

// truth reads true or false.
func (d *decoder) truth(v reflect.Value) error {
	d.skipSpace()
	for _, word := range []string{"true", "false"} {
		if bytes.HasPrefix(d.data[d.at:], []byte(word)) {
			d.at += len(word) // what follows is the caller's to judge
			v.SetBool(word == "true")
			return nil
		}
	}
	return refuse(d.excerpt(), "must be true or false")
}

// whole reads a number that has no fraction, no exponent and no leading zero.
func (d *decoder) whole(v reflect.Value) error {
	d.skipSpace()
	end := d.at
	for end < len(d.data) && strings.IndexByte("+-.0123456789eE", d.data[end]) >= 0 {
		end++
	}
	digits, negative := strings.CutPrefix(string(d.data[d.at:end]), "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" || digits[0] == '0' && digits != "0" {
		return refuse(d.excerpt(), "must be a whole number in plain digits")
	}
	if negative {
		digits = "-" + digits
	}
	bits := v.Type().Bits()
	n, err := strconv.ParseInt(digits, 10, bits)
	if err != nil {
		most := int64(math.MaxInt64) >> (64 - bits)
		return refuse(d.excerpt(), "must be %d to %d", -most-1, most)
	}
	d.at = end
	v.SetInt(n)
	return nil
}

// array reads a list. An empty one is not nil.
func (d *decoder) array(v reflect.Value) error {
	if err := d.enter('[', "a list"); err != nil {
		return err
	}
	defer d.leave()
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	if d.accept(']') {
		return nil
	}
	for i := 0; ; i++ {
		element := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(element); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
		v.Set(reflect.Append(v, element))
		if d.accept(']') {
			return nil
		}
		if !d.accept(',') {
			return refuse(d.excerpt(), "must be , or ] after an element")
		}
	}
}

// enter steps into an object or array.
func (d *decoder) enter(bracket byte, kind string) error {
	if d.peek() != bracket {
		return refuse(d.excerpt(), "must be %s", kind)
	}
	if d.depth <= 0 {
		return refuse(d.excerpt(), "must not be nested deeper")
	}
	d.depth--
	d.at++
	return nil
}

// leave gives back the depth that enter took.
func (d *decoder) leave() { d.depth++ }
