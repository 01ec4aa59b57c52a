//go:build linux

package bench

import (
	"strings"
	"testing"
)

// A thousand entries fit into the body, and none of our checks is made again.
func TestReadyHandlerTellsEveryCheck(t *testing.T) {
	names := checkNames(1000)
	h, err := readyHandler(names)
	if err != nil {
		t.Fatal(err)
	}
	first := scrape(h)
	if strings.Contains(first, "truncated") {
		t.Error("entries were left out")
	}
	if again := scrape(h); again != first {
		t.Error("a second answer has other durations: checks were made again")
	}
	if err := allTold(h, append(names, "one more")); err == nil {
		t.Error("a name without an entry was not missed")
	}
}
