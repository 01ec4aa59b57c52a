package main

import (
	"path/filepath"
	"testing"
)

func openTestDatabase(t *testing.T) *database {
	t.Helper()
	db, err := openDatabase(t.Context(), filepath.Join(t.TempDir(), "database"))
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// The outage is real: it is the driver that fails, for every caller, and it
// leaves no empty database in the place of the one that is away.
func TestDatabaseGoesAwayAndComesBack(t *testing.T) {
	db := openTestDatabase(t)
	m := message{Seq: 1, Order: order{Customer: "c", Cents: 5}}
	must(t, db.store(t.Context(), m))
	for range 3 {
		must(t, db.goAway())
		must(t, db.goAway()) // once more changes nothing
		for range 2 {
			if err := db.PingContext(t.Context()); err == nil {
				t.Fatal("a ping succeeded")
			}
			if err := db.store(t.Context(), message{Seq: 2}); err == nil {
				t.Fatal("an order was stored")
			}
		}
		must(t, db.comeBack())
		must(t, db.comeBack())
		must(t, db.PingContext(t.Context()))
		if n, err := db.stored(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d stored, %v; want 1", n, err)
		}
	}
}

func TestDatabaseStoresAnOrderOnce(t *testing.T) {
	db := openTestDatabase(t)
	m := message{Seq: 7, Order: order{Customer: "c", Cents: 5}}
	must(t, db.store(t.Context(), m))
	must(t, db.store(t.Context(), m))
	if n, err := db.stored(t.Context()); n != 1 || err != nil {
		t.Errorf("%d stored, %v; want 1", n, err)
	}
}
