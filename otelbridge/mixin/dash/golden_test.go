package dash_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

var update = flag.Bool("update", false, "rewrite dashboard.json")

// TestDashboardFile keeps the file that people import what the code builds.
func TestDashboardFile(t *testing.T) {
	var built bytes.Buffer
	if err := dash.Write(&built, dash.Config{}); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("dashboard.json", built.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if built.String() != read(t, "dashboard.json") {
		t.Error("dashboard.json differs from what the code builds: run go test -update and review the difference")
	}
}

// TestStrict decodes with the SDK's strict decoder, which refuses fields that
// the model does not have and values of the wrong type. Grafana would ignore
// them.
func TestStrict(t *testing.T) {
	text := []byte(read(t, "dashboard.json"))
	if err := strict(text); err != nil {
		t.Error(err)
	}
	d := dashboard.NewDashboard()
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	again, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(anyOf(t, again), anyOf(t, text)) {
		t.Error("decoded and encoded, the dashboard is another one")
	}
}

// anyOf makes texts comparable whose fields are in another order.
func anyOf(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestStrictIsStrict breaks the file in several places.
func TestStrictIsStrict(t *testing.T) {
	text := []byte(read(t, "dashboard.json"))
	for name, change := range map[string][2]string{
		"field of the root":    {`"refresh"`, `"refreshEvery"`},
		"field of a row":       {`"collapsed"`, `"colapsed"`},
		"field of a panel":     {`"gridPos"`, `"gridPosition"`},
		"option of a panel":    {`"colorMode"`, `"colourMode"`},
		"field of a variable":  {`"allValue"`, `"all"`},
		"field of a transform": {`"id": "merge"`, `"name": "merge"`},
		"type of a value":      {`"schemaVersion": 42`, `"schemaVersion": "42"`},
	} {
		wrong := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(wrong, text) {
			t.Errorf("%s: nothing to change", name)
		}
		if strict(wrong) == nil {
			t.Errorf("%s: the decoder does not notice", name)
		}
	}
}

// strict returns what the strict decoder found. It returns a list as an error,
// which is not nil although the list is empty, and leaves out of the value what
// such an error came from, so the value is of no use.
func strict(text []byte) error {
	plugins.RegisterDefaultPlugins()
	err := dashboard.NewDashboard().UnmarshalJSONStrict(text)
	var list cog.BuildErrors
	if errors.As(err, &list) && len(list) == 0 {
		return nil
	}
	return err
}
