package mixin_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

var update = flag.Bool("update", false, "rewrite the generated files")

// newRules makes rules that must be possible.
func newRules(t *testing.T, c mixin.Config) *mixin.Rules {
	t.Helper()
	rules, err := mixin.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestDefaultFiles holds the committed files to the code. Whoever copies them
// has the defaults of New.
func TestDefaultFiles(t *testing.T) {
	rules := newRules(t, mixin.Config{})
	var file, manifest bytes.Buffer
	if err := rules.WriteYAML(&file); err != nil {
		t.Fatal(err)
	}
	if err := rules.WriteManifest(&manifest, mixin.Manifest{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "rules.yaml", file.Bytes())
	golden(t, "prometheusrule.yaml", manifest.Bytes())
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./otelbridge/mixin -update:\n%s", path, diff)
	}
}
