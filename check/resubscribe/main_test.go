package resubscribe

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// randomCasesAProperty is how many cases a property is tried on; the flag
// -rapid.checks of a run overrides it.
const randomCasesAProperty = "2000"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", randomCasesAProperty); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
