package reading

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/loopvitals/loopvitals/check/redundancy"
	"github.com/loopvitals/loopvitals/liveness"
	"github.com/loopvitals/loopvitals/tiers"
)

// Sources are what an exporter reads.
type Sources struct {
	Monitors   []*liveness.Monitor
	Tiers      *tiers.Set       // nil: none
	Redundancy *redundancy.Node // nil: none
}

// Validate refuses what could not be exported, or only mixed up. The board's own
// rules hold for its name, but the board tells of a name that breaks them only
// when something is registered, and one label of invalid UTF-8 would turn the
// whole scrape into an error. The error lacks the name of the package that asks.
func (src Sources) Validate() error {
	if len(src.Monitors) == 0 && src.Tiers == nil && src.Redundancy == nil {
		return errors.New("sources empty: must hold a monitor, a tier set or a redundancy node")
	}
	seen := make(map[string]bool, len(src.Monitors))
	for i, m := range src.Monitors {
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
