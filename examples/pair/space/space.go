// Package space is the address space that a node shows to its clients: one item a
// tag, as the configuration has it, with the newest value. It is in memory, and
// built on every node, so that the standby has it when it takes over.
package space

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"unicode"

	"github.com/loopvitals/loopvitals/examples/pair/database"
)

// Failure is a kind of failure to apply the configuration (S4.43).
type Failure string

const (
	// FailedRebuild means that there was no new space: the old one is shown.
	FailedRebuild Failure = "rebuild"
	// FailedNodes means that the new one lacks some of its items.
	FailedNodes Failure = "nodes"
)

// Failures are all kinds.
func Failures() []Failure { return []Failure{FailedRebuild, FailedNodes} }

// Item is what clients see of a tag.
type Item struct {
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Space is the address space. All methods may be called by any goroutine.
type Space struct {
	// Config reads the configuration.
	Config func(context.Context) ([]database.Row, error)
	// Failed counts a pass that failed: once, however many items it lacks.
	Failed func(Failure)
	Log    *slog.Logger

	mu     sync.Mutex
	items  map[string]Item
	values map[string]float64 // of all tags, those without an item included
}

// Rebuild applies the configuration. What goes wrong is counted and logged as an
// error, since the node goes on with a space that is stale, or lacks something,
// and nothing else would say so.
func (s *Space) Rebuild(ctx context.Context) error {
	rows, err := s.Config(ctx)
	if err != nil {
		s.Failed(FailedRebuild)
		s.Log.Error("the address space could not be rebuilt", "kind", FailedRebuild, "error", err)
		return err
	}
	s.mu.Lock()
	items := make(map[string]Item, len(rows))
	var errs []error
	for _, row := range rows {
		if err := check(row); err != nil {
			errs = append(errs, err)
			continue
		}
		items[row.Tag] = Item{Unit: row.Unit, Value: s.values[row.Tag]}
	}
	s.items = items
	s.mu.Unlock()
	if len(errs) > 0 {
		err := errors.Join(errs...)
		s.Failed(FailedNodes)
		s.Log.Error("the address space lacks items", "kind", FailedNodes, "items", len(errs), "error", err)
		return err
	}
	return nil
}

// check tells whether clients could address the item.
func check(row database.Row) error {
	if row.Tag == "" {
		return errors.New("space: tag: must not be empty")
	}
	for _, r := range row.Tag {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return fmt.Errorf("space: tag %q: must be printable, without white space", row.Tag)
		}
	}
	return nil
}

// Set notes the newest value of a tag.
func (s *Space) Set(tag string, value float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string]float64{}
	}
	s.values[tag] = value
	if item, there := s.items[tag]; there {
		item.Value = value
		s.items[tag] = item
	}
}

// Items returns all items.
func (s *Space) Items() map[string]Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.items)
}
