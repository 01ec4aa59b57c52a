package rival

import "encoding/json"

// Tree is a health answer as nested maps, what a handler hands to
// encoding/json when no type was written for it.
type Tree map[string]any

// NewTree returns an answer without entries.
func NewTree(status string, totalMillis int64) Tree {
	return Tree{"status": status, "totalDurationMs": totalMillis, "entries": map[string]any{}}
}

// Add puts an entry into the answer.
func (t Tree) Add(name, status, description string, millis float64) {
	t["entries"].(map[string]any)[name] = map[string]any{
		"status": status, "description": description, "durationMs": millis,
	}
}

// Encode returns the answer's JSON.
func (t Tree) Encode() ([]byte, error) { return json.Marshal(t) }
