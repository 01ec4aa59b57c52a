package check

import (
	"context"
	"errors"
	"reflect"
)

// Invalid returns the Checker that a constructor hands back when it was given
// something it cannot work with: NewRunner refuses it with err. Where it is
// used without a Runner it is Unhealthy, with err for the log only. It lets
// check.TCP(address) be written in one line and still fail at registration.
func Invalid(err error) Checker {
	if err == nil {
		err = errors.New("check: invalid checker")
	}
	return invalidChecker{err}
}

type invalidChecker struct{ err error }

func (c invalidChecker) Check(context.Context) Result {
	return Result{Status: Unhealthy, Description: Failed.String(), Err: c.err}
}

// usable tells whether c can be asked at all.
func usable(c Checker) error {
	if c == nil || isNil(c) {
		return errors.New("check: checker nil: must not be nil")
	}
	if invalid, ok := c.(invalidChecker); ok {
		return invalid.err
	}
	return nil
}

// isNil finds the nil pointer, function or map inside an interface: a call of
// it would panic at every probe, so it is refused where it is wired up.
func isNil(v any) bool {
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return rv.IsNil()
	case reflect.Invalid:
		return true
	default:
		return false
	}
}
