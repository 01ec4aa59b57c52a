package observation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// tree is a JSON value that keeps the order of its fields and may have one of them
// twice, so that a test can break what it likes.
type tree struct {
	kind   byte // '{', '[' or 0
	fields []field
	items  []*tree
	scalar string // its JSON
}

type field struct {
	name  string
	value *tree
}

func scalar(text string) *tree { return &tree{scalar: text} }

func parseTree(t testing.TB, text []byte) *tree {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return readTree(t, decoder)
}

func readTree(t testing.TB, d *json.Decoder) *tree {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token {
	case json.Delim('{'):
		node := &tree{kind: '{'}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			node.fields = append(node.fields, field{name.(string), readTree(t, d)})
		}
		_, _ = d.Token()
		return node
	case json.Delim('['):
		node := &tree{kind: '['}
		for d.More() {
			node.items = append(node.items, readTree(t, d))
		}
		_, _ = d.Token()
		return node
	}
	text, err := json.Marshal(token)
	if err != nil {
		t.Fatal(err)
	}
	return scalar(string(text))
}

func (n *tree) String() string {
	var parts []string
	switch n.kind {
	case '{':
		for _, f := range n.fields {
			parts = append(parts, fmt.Sprintf("%q:%s", f.name, f.value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, item := range n.items {
			parts = append(parts, item.String())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return n.scalar
}

// walk visits every object with its path, from the outside in.
func (n *tree) walk(path string, visit func(path string, object *tree)) {
	if n.kind == '{' {
		visit(path, n)
	}
	for _, f := range n.fields {
		f.value.walk(join(path, f.name), visit)
	}
	for i, item := range n.items {
		item.walk(fmt.Sprintf("%s[%d]", path, i), visit)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
