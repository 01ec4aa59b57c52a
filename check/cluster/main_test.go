package cluster_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// randomViewsAPass is how many views a property is tried on; the flag
// -rapid.checks of a run overrides it.
const randomViewsAPass = "3000"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", randomViewsAPass); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
