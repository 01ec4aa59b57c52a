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
	_, entries, _ := strings.Cut(first, "entries") // After the duration of this answer.
	if _, again, _ := strings.Cut(scrape(h), "entries"); again != entries {
		t.Error("a second answer has other entries: checks were made again")
	}
	if err := allTold(h, append(names, "one more")); err == nil {
		t.Error("a name without an entry was not missed")
	}
}
