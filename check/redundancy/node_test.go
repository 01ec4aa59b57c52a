package redundancy

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPair: two nodes become primary and secondary, at 250 and 240.
func TestPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a, b := w.start(nodeA), w.start(nodeB)
		synctest.Wait()
		w.wantLevel("at boot", a, 0)
		w.wantRole("at boot", b, RoleUnknown)
		w.up(nodeA, nodeB)
		w.sleep(time.Second)
		w.wantRole("a second later", a, Primary)
		w.wantRole("a second later", b, Secondary)
		w.wantLevel("a second later", a, 250)
		w.wantLevel("a second later", b, 240)
		if err := a.Site(SiteWrite).Allow(); err != nil {
			t.Errorf("the primary: %v", err)
		}
		if err := b.Site(SiteWrite).Allow(); err == nil {
			t.Error("the secondary serves")
		}
	})
}
