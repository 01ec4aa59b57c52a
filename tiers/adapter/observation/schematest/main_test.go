package schematest

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// compileSchema also holds the schema against that of schemas. Formats are not
// asserted, since most validators do not assert them unless told.
func compileSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(observation.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", text); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// goldenText is a valid document.
func goldenText(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("../testdata/document.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}
