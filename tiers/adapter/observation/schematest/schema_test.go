package schematest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// part is what this test reads of a schema.
type part struct {
	Schema     string `json:"$schema"`
	Ref        string `json:"$ref"`
	Type       string
	Const      string
	Enum       []string
	Properties map[string]*part
	Required   []string
	Additional *bool `json:"additionalProperties"`
	Items      *part
	MaxItems   int
	MaxLength  int
	Maximum    int64
	Defs       map[string]*part `json:"$defs"`
}

func readSchema(t *testing.T) *part {
	t.Helper()
	var root part
	if err := json.Unmarshal(observation.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	return &root
}

// TestSchemaHasEveryField wants the fields of each struct, all required and no
// others, in the order in which they are written.
func TestSchemaHasEveryField(t *testing.T) {
	root := readSchema(t)
	compareFields(t, root, root, reflect.TypeFor[observation.Document](), "document")
}

func compareFields(t *testing.T, root, schema *part, of reflect.Type, path string) {
	t.Helper()
	if name, found := strings.CutPrefix(schema.Ref, "#/$defs/"); found {
		schema = root.Defs[name]
	}
	if of.Kind() == reflect.Slice {
		compareFields(t, root, schema.Items, of.Elem(), path+"[]")
		return
	}
	if of.Kind() != reflect.Struct {
		want := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int64: "integer"}[of.Kind()]
		if got := schema.Type; got != want && schema.Const == "" && schema.Enum == nil {
			t.Errorf("%s: type %q, want %q", path, got, want)
		}
		return
	}
	var names []string
	for i := range of.NumField() {
		name := of.Field(i).Tag.Get("json")
		names = append(names, name)
		property := schema.Properties[name]
		if property == nil {
			t.Errorf("%s: the schema has no property %q", path, name)
			continue
		}
		compareFields(t, root, property, of.Field(i).Type, path+"."+name)
	}
	if schema.Type != "object" || schema.Additional == nil || *schema.Additional || len(schema.Properties) != len(names) {
		t.Errorf("%s: the schema lets other fields in", path)
	}
	if !slices.Equal(schema.Required, names) {
		t.Errorf("%s: required %q, want %q", path, schema.Required, names)
	}
}

// TestSchemaHasTheBounds wants one set of bounds in both.
func TestSchemaHasTheBounds(t *testing.T) {
	root := readSchema(t)
	if got := root.Schema; got != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("draft %q", got)
	}
	if got := root.Properties["version"].Const; got != observation.Version {
		t.Errorf("version %q, want %q", got, observation.Version)
	}
	if got := root.Properties["result"].Enum; !slices.Equal(got, []string{string(observation.Succeeded), string(observation.Failed)}) {
		t.Errorf("results %q", got)
	}
	if got := root.Properties["inventory"].Properties["listeners"].MaxItems; got != observation.MaxListeners {
		t.Errorf("%d listeners, want %d", got, observation.MaxListeners)
	}
	if got := root.Defs["name"].MaxLength; got != observation.MaxNameBytes {
		t.Errorf("names of %d, want %d", got, observation.MaxNameBytes)
	}
	if got := root.Defs["number"].Maximum; got != 1<<53-1 {
		t.Errorf("numbers to %d, want 2^53-1", got)
	}
}

// TestSchemaIsACopy changes what it was given.
func TestSchemaIsACopy(t *testing.T) {
	clear(observation.Schema())
	if !json.Valid(observation.Schema()) {
		t.Error("the schema changes with a caller's copy")
	}
}
