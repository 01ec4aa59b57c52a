package reading

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/check/resubscribe"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
)

// Sources are what an exporter reads.
type Sources struct {
	Monitors   []*liveness.Monitor
	Tiers      *tiers.Set       // nil: none
	Redundancy *redundancy.Node // nil: none
	Guards     []*resubscribe.Guard
}

// Validate refuses what could not be exported, or only mixed up. The board's own
// rules hold for its name, but the board tells of a name that breaks them only
// when something is registered, and one label of invalid UTF-8 would turn the
// whole scrape into an error. The error lacks the name of the package that asks.
func (src Sources) Validate() error {
	if len(src.Monitors) == 0 && src.Tiers == nil && src.Redundancy == nil && len(src.Guards) == 0 {
		return errors.New("sources empty: must hold a monitor, a tier set, a redundancy node or a guard")
	}
	if err := validateMonitors(src.Monitors); err != nil {
		return err
	}
	return validateGuards(src.Guards)
}

func validateMonitors(monitors []*liveness.Monitor) error {
	seen := make(map[string]bool, len(monitors))
	for i, m := range monitors {
		if m == nil {
			return fmt.Errorf("monitor %d nil: must not be nil", i)
		}
		switch name := m.Board().Name(); {
		case !utf8.ValidString(name):
			return fmt.Errorf("board name %q: must be valid UTF-8", name)
		case seen[name] && name == "":
			return fmt.Errorf("board name %q of monitor %d: at most one board may have no name (see board.WithName)", name, i)
		case seen[name]:
			return fmt.Errorf("board name %q of monitor %d: must be unique", name, i)
		default:
			seen[name] = true
		}
	}
	return nil
}

// validateGuards goes by the keys, which are all that tells two guards apart. One
// that resubscribe.New has made has a key that every output can carry.
func validateGuards(guards []*resubscribe.Guard) error {
	seen := make(map[string]bool, len(guards))
	for i, g := range guards {
		switch key := g.Key(); {
		case g == nil:
			return fmt.Errorf("guard %d nil: must not be nil", i)
		case key == "":
			return fmt.Errorf("guard %d without a key: must be made by resubscribe.New", i)
		case seen[key]:
			return fmt.Errorf("guard key %q of guard %d: must be unique", key, i)
		default:
			seen[key] = true
		}
	}
	return nil
}
