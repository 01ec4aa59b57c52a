package child

import (
	"os"
	"testing"
)

// TestPortableGroup sees the group die as well, after a success and after the
// limit, and that who holds the output open does not hold up the run.
func TestPortableGroup(t *testing.T) {
	for name, want := range map[string]Kind{"leader": 0, "leader of a holder": 0, "hung leader": Timeout} {
		mark := newMark()
		p := newPortableRunner(t, Config{Argv: act(name, mark)})
		_, failure := runPortable(p, want)
		if want == 0 && failure != nil || want != 0 && (failure == nil || failure.Kind != want) {
			t.Errorf("%s: got %v, want %q", name, failure, want)
		}
		nothingLeft(t, mark)
	}
}

// TestPortableSurroundings sees that nothing is inherited.
func TestPortableSurroundings(t *testing.T) {
	t.Setenv("LOOPVITALS_SECRET", "canary")
	p := newPortableRunner(t, Config{Argv: act("surroundings", newMark())})
	output, failure := runPortable(p, 0)
	if failure != nil {
		t.Fatal(failure)
	}
	got := parseGiven(t, output)
	if got.Dir != "/" || len(got.Environment) != 0 || got.Input != os.DevNull || got.Errors != os.DevNull || !got.GroupIsOwn {
		t.Errorf("got %+v", got)
	}
}
