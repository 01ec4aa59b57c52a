package cluster

import (
	"errors"
	"fmt"
	"reflect"
)

// Ask decides with what the source says now. A source that is nil or panics has
// said nothing, which is ReasonStarting and so not active (S1.47, R27).
func Ask(src Source, rolePreference ...string) (d Decision) {
	now, v, _ := read(src)
	return Decide(v, now, rolePreference...)
}

// read reads the clock and then the view, or nothing at all.
func read(src Source) (now Instant, v *View, err error) {
	if src == nil {
		return 0, nil, errNoSource
	}
	defer func() {
		if p := recover(); p != nil {
			now, v, err = 0, nil, fmt.Errorf("cluster: the source panicked: %v", p)
		}
	}()
	now = src.Now()
	return now, src.View(), nil
}

var errNoSource = errors.New("cluster: source nil: must not be nil")

// usable refuses, where it is wired up, a source that can never say anything: nil
// or a nil pointer.
func usable(src Source) error {
	if v := reflect.ValueOf(src); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return errNoSource
	}
	return nil
}
