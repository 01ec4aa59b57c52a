package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// CASE-101, CASE-109: a loop that hangs shows, although the rest of the process
// does well; a database that is away is no reason to blame the loop.
func TestOrdersWithoutTheDatabase(t *testing.T) {
	a, s := startTest(t)
	must(t, a.db.goAway())
	must(t, s.keep(1500*time.Millisecond, readyPath, unavailable(), entry("database", "Unhealthy"),
		entry("processors", "Healthy"), works(ordersKey), lagAbove(ordersKey, 0)))
	must(t, s.post("/demo/wedge?processor=orders"))
	must(t, s.see(readyPath, unavailable(), entry("database", "Unhealthy"), reason(ordersKey, "stuck")))
	must(t, a.db.comeBack())
	must(t, s.see(readyPath, unavailable(), entry("database", "Healthy"), reason(ordersKey, "stuck")))
	must(t, s.post("/demo/release?processor=orders"))
	must(t, s.see(readyPath, ok(), works(ordersKey)))
	placed := a.publisher.stop()
	eventually(t, "every order is stored", func() bool {
		n, err := a.db.stored(t.Context())
		return err == nil && n == placed
	})
}

// A loop that hangs between two units of work is not busy: it turns stale.
func TestAFrozenLoopTurnsStale(t *testing.T) {
	_, s := startTest(t)
	for _, id := range []string{ordersKey, auditKey} {
		must(t, s.post("/demo/freeze?processor="+id))
		must(t, s.see(readyPath, unavailable(), reason(id, "stale"), works(billingKey)))
		must(t, s.post("/demo/release?processor="+id))
		must(t, s.see(readyPath, ok(), works(id)))
	}
}

// One stuck worker shows as billing being stuck, although the other goes on,
// and the verdict names it.
func TestBillingNamesTheStuckWorker(t *testing.T) {
	a, s := startTest(t)
	must(t, s.post("/demo/wedge?processor=billing"))
	must(t, s.see(readyPath, unavailable(), reason(billingKey, "stuck"), says("processors", "'billing' worker '"), works(ordersKey, auditKey)))
	before := a.accounts.booked()
	eventually(t, "the other worker goes on", func() bool { return a.accounts.booked() > before+50 })
	must(t, s.post("/demo/release?processor=billing"))
	must(t, s.see(readyPath, ok(), works(billingKey)))
}

// A fault that comes while the other worker hangs is shown at once; the restart
// waits for the hanging worker, whose loop must end first.
func TestBillingRestartsAsAWhole(t *testing.T) {
	_, s := startTest(t)
	must(t, s.post("/demo/wedge?processor=billing"))
	must(t, s.see(readyPath, unavailable(), reason(billingKey, "stuck")))
	must(t, s.post("/demo/fault?processor=billing"))
	must(t, s.see(readyPath, unavailable(), reason(billingKey, "faulted"), faultsOf(billingKey, 1)))
	must(t, s.post("/demo/restart?processor=billing"))
	must(t, s.keep(300*time.Millisecond, readyPath, unavailable(), reason(billingKey, "faulted")))
	must(t, s.post("/demo/release?processor=billing"))
	must(t, s.see(readyPath, ok(), works(billingKey), faultsOf(billingKey, 1), lagBelow(billingKey, 50)))
}

func TestEveryProcessorCanFaultAndRestart(t *testing.T) {
	_, s := startTest(t)
	for _, id := range []string{ordersKey, billingKey, auditKey} {
		for n := range 2 {
			must(t, s.post("/demo/fault?processor="+id))
			must(t, s.see(readyPath, unavailable(), reason(id, "faulted"), faultsOf(id, float64(n+1))))
			must(t, s.post("/demo/restart?processor="+id))
			must(t, s.see(readyPath, ok(), works(id), faultsOf(id, float64(n+1))))
		}
	}
}

// A faulted processor takes no second fault, no standby and no resume.
func TestFaultedProcessorOnlyRestarts(t *testing.T) {
	_, s := startTest(t)
	must(t, s.post("/demo/fault?processor=orders"))
	must(t, s.see(readyPath, unavailable(), reason(ordersKey, "faulted")))
	for _, action := range []string{"fault", "standby", "resume"} {
		if err := s.post("/demo/" + action + "?processor=orders"); err == nil {
			t.Errorf("a faulted processor took %s", action)
		}
	}
	must(t, s.post("/demo/restart?processor=orders"))
	must(t, s.keep(500*time.Millisecond, readyPath, ok(), works(ordersKey), faultsOf(ordersKey, 1)))
	if err := s.post("/demo/restart?processor=orders"); err == nil {
		t.Error("a healthy processor restarted")
	}
}

// The app stops cleanly whatever its processors are at; the test's end checks
// that, and TestMain that no goroutine stays.
func TestStopInEveryState(t *testing.T) {
	a, s := startTest(t)
	must(t, s.post("/demo/fault?processor=billing"))
	must(t, s.post("/demo/standby?processor=orders"))
	must(t, s.see(readyPath, unavailable(), reason(billingKey, "faulted"), reason(ordersKey, "standby")))
	must(t, s.post("/demo/wedge?processor=audit"))
	must(t, s.see(readyPath, unavailable(), reason(auditKey, "stuck")))
	must(t, s.post("/demo/wedge?processor="+rebuildKey))
	must(t, s.post("/demo/restart?processor="+rebuildKey))
	must(t, s.see(readyPath, unavailable(), reason(rebuildKey, "stuck")))
	must(t, a.db.goAway())
}

func TestStandbyAndResume(t *testing.T) {
	_, s := startTest(t)
	for _, id := range []string{ordersKey, billingKey} {
		must(t, s.post("/demo/standby?processor="+id))
		must(t, s.keep(1200*time.Millisecond, readyPath, ok(), reason(id, "standby")))
		must(t, s.post("/demo/resume?processor="+id))
		must(t, s.see(readyPath, ok(), works(id), lagBelow(id, 50)))
	}
}

// CASE-108: losing the lease leaves nothing that could turn stale, and the gate
// and the active tier agree about who acts.
func TestAuditHandsItsLeaseOver(t *testing.T) {
	a, s := startTest(t)
	must(t, s.see(activePath, ok()))
	for range 2 {
		must(t, s.post("/demo/standby?processor=audit"))
		must(t, s.see(activePath, unavailable()))
		must(t, s.refused("/accounts"))
		eventually(t, "the other replica acts", a.other.IsActive)
		must(t, s.keep(1200*time.Millisecond, readyPath, ok(), reason(auditKey, "standby")))
		must(t, s.post("/demo/resume?processor=audit"))
		must(t, s.see(activePath, ok()))
		if a.other.IsActive() {
			t.Error("two replicas hold the lease")
		}
		must(t, s.see(readyPath, ok(), works(auditKey)))
	}
}

func TestRebuildLeavesTheBoard(t *testing.T) {
	a, s := startTest(t)
	eventually(t, "some orders are billed", func() bool { return a.accounts.booked() > 100 })
	must(t, s.post("/demo/restart?processor="+rebuildKey))
	must(t, s.see(readyPath, ok(), works(rebuildKey)))
	must(t, s.see(readyPath, ok(), absent(rebuildKey)))

	// A rebuild that hangs is stuck like any other loop; freed, it ends.
	must(t, s.post("/demo/wedge?processor="+rebuildKey))
	must(t, s.post("/demo/restart?processor="+rebuildKey))
	must(t, s.see(readyPath, unavailable(), reason(rebuildKey, "stuck"), works(billingKey)))
	must(t, s.post("/demo/release?processor="+rebuildKey))
	must(t, s.see(readyPath, ok(), absent(rebuildKey)))

	// Nothing was lost by the swap.
	placed := a.publisher.stop()
	eventually(t, "every order is billed", func() bool { return uint64(a.accounts.booked()) == placed })
}

func TestAccountsKeepWhatCameDuringARebuild(t *testing.T) {
	live, rebuilt := newAccounts(), newAccounts()
	of := func(customer string, cents int64) order { return order{Customer: customer, Cents: cents} }
	for seq, o := range map[uint64]order{1: of("x", 10), 2: of("y", 20), 3: of("x", 30)} {
		must(t, live.add(t.Context(), message{seq, o}))
	}
	must(t, live.add(t.Context(), message{3, of("x", 30)})) // delivered again
	must(t, rebuilt.add(t.Context(), message{1, of("x", 11)}))
	must(t, rebuilt.add(t.Context(), message{2, of("y", 22)}))
	live.replace(rebuilt, 2)
	if diff := cmp.Diff(map[string]int64{"x": 41, "y": 22}, live.sums()); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}
