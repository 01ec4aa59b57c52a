package mixin_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// TestYAML writes one rule of each kind, with strings that YAML would take for
// something else.
func TestYAML(t *testing.T) {
	rules := mixin.Rules{
		Groups: []mixin.Group{{Name: "a", Rules: []mixin.Rule{
			{Record: "a:b:sum", Expr: "sum(b)"},
			{
				Alert: "B", Expr: "b > 1\nor\n  c", For: 90 * time.Second,
				Labels:      map[string]string{"severity": "null", "on": "yes", "b c": ": #\\\"\n\u2028\xff"},
				Annotations: map[string]string{"summary": "{{ $value }}"},
			},
		}}},
		Omitted: map[string]string{"C": "it is not here"},
	}
	const want = `# Made by: loopvitals rules. Make it anew with other flags rather than edit it.
# C is left out: it is not here.
groups:
  - name: "a"
    rules:
      - record: "a:b:sum"
        expr: |-
          sum(b)
      - alert: "B"
        expr: |-
          b > 1
          or
            c
        for: 1m30s
        labels:
          "b c": ": #\\\"\n\u2028` + "\uFFFD" + `"
          "on": "yes"
          severity: "null"
        annotations:
          summary: "{{ $value }}"
`
	for range 10 { // maps have an order of their own each time
		var got bytes.Buffer
		if err := rules.WriteYAML(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Fatalf("got\n%s\nwant\n%s", got.String(), want)
		}
	}
}

// TestErrorsOfTheWriterAreTold writes to something that is full.
func TestErrorsOfTheWriterAreTold(t *testing.T) {
	rules := newRules(t, mixin.Config{})
	if err := rules.WriteYAML(full{}); !errors.Is(err, errFull) {
		t.Errorf("WriteYAML: %v", err)
	}
	if err := rules.WriteManifest(full{}, mixin.Manifest{}); !errors.Is(err, errFull) {
		t.Errorf("WriteManifest: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestManifestBounds takes names and labels to what Kubernetes accepts, and one
// step past it.
func TestManifestBounds(t *testing.T) {
	chars := func(n int) string { return strings.Repeat("a", n) }
	label := func(key, value string) mixin.Manifest {
		return mixin.Manifest{Labels: map[string]string{key: value}}
	}
	for _, c := range []struct {
		name     string
		manifest mixin.Manifest
		refused  string
	}{
		{"nothing", mixin.Manifest{}, ""},
		{"all", mixin.Manifest{Name: "a.b-1", Namespace: "n-1", Labels: map[string]string{"a": "b"}}, ""},
		{"the longest part of a name", mixin.Manifest{Name: chars(63)}, ""},
		{"a longer part", mixin.Manifest{Name: chars(64)}, `Name "a`},
		{"the longest name", mixin.Manifest{Name: strings.Repeat(chars(62)+".", 4) + "a"}, ""},
		{"a longer name", mixin.Manifest{Name: strings.Repeat(chars(62)+".", 4) + "aa"}, `Name "a`},
		{"a capital", mixin.Manifest{Name: "A"}, `Name "A": must be`},
		{"two dots", mixin.Manifest{Name: "a..b"}, `Name "a..b": must be`},
		{"a line", mixin.Manifest{Name: "a\nkind: Secret"}, "Name"},
		{"the longest namespace", mixin.Manifest{Namespace: chars(63)}, ""},
		{"a longer namespace", mixin.Manifest{Namespace: chars(64)}, "Namespace"},
		{"a namespace with a dot", mixin.Manifest{Namespace: "a.b"}, `Namespace "a.b": must be`},
		{"a label without a value", label("a", ""), ""},
		{"a label with a domain", label("example.com/a_B.c-1", "v_1.A-z"), ""},
		{"the longest value", label("a", chars(63)), ""},
		{"a longer value", label("a", chars(64)), `Labels a "a`},
		{"a value that ends in a dot", label("a", "b."), `Labels a "b.": must be`},
		{"a key of nothing", label("", "b"), `Labels key "": must be`},
		{"a key without a name", label("example.com/", "b"), "Labels key"},
		{"a key without a domain", label("/a", "b"), "Labels key"},
		{"a longer key", label(chars(64), "b"), "Labels key"},
	} {
		var out bytes.Buffer
		err := newRules(t, mixin.Config{}).WriteManifest(&out, c.manifest)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.refused != "" && (err == nil || !strings.HasPrefix(err.Error(), "mixin: "+c.refused)):
			t.Errorf("%s: %v, want mixin: %s", c.name, err, c.refused)
		case c.refused != "" && out.Len() > 0:
			t.Errorf("%s: it is refused and written", c.name)
		}
	}
}
