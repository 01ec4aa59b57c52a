package otelbridge

import (
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"go.opentelemetry.io/otel/metric"
)

// validate refuses what could not be exported, or only mixed up. The board's own
// rules hold for its name, but the board tells of a name that breaks them only
// when something is registered, and one label of invalid UTF-8 would turn the
// whole scrape into an error.
func (src Sources) validate() error {
	if len(src.Monitors) == 0 && src.Tiers == nil {
		return errors.New("otelbridge: sources empty: must hold a monitor or a tier set")
	}
	seen := make(map[string]bool, len(src.Monitors))
	for i, m := range src.Monitors {
		if m == nil {
			return fmt.Errorf("otelbridge: monitor %d nil: must not be nil", i)
		}
		switch name := m.Board().Name(); {
		case !utf8.ValidString(name):
			return fmt.Errorf("otelbridge: board name %q: must be valid UTF-8", name)
		case seen[name] && name == "":
			return fmt.Errorf("otelbridge: board name %q of monitor %d: at most one board may have no name (see board.WithName)", name, i)
		case seen[name]:
			return fmt.Errorf("otelbridge: board name %q of monitor %d: must be unique", name, i)
		default:
			seen[name] = true
		}
	}
	return nil
}

// isNil finds the nil pointer inside an interface, too.
func isNil(mp metric.MeterProvider) bool {
	if mp == nil {
		return true
	}
	v := reflect.ValueOf(mp)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
