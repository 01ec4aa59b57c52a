package observation

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden is the document of testdata/document.json.
func golden() Document {
	return Document{
		Version:  Version,
		Identity: Identity{Node: "orders-1", Instance: "5f0c2b1e"},
		Result:   Succeeded,
		Sampled:  Sampled{At: "2026-09-27T10:04:05.678Z", AgeMs: 12},
		Pressure: Pressure{Available: true},
		Inventory: Inventory{Complete: true, Listeners: []Listener{
			{Name: "public", Address: "127.0.0.1:8080", Owner: "gateway", Live: true},
			{Name: "internal", Address: "[::1]:8081", Owner: "sync <→> store", Live: true},
		}},
		Capacity: Capacity{
			Connections: Use{InUse: 3, Limit: 256},
			Exchanges:   Use{InUse: 1, Limit: 64},
			Buffers:     Use{InUse: 65536, Limit: mostExact},
		},
		Activation: Activation{Ready: true},
		Native:     Native{Healthy: true, Owner: true},
	}
}

func goldenText(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/document.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestGolden holds the form still: other programs read and write it.
func TestGolden(t *testing.T) {
	got, err := golden().Append([]byte("before "))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("before "+string(goldenText(t)), string(got)); diff != "" {
		t.Errorf("written otherwise: %s", diff)
	}
	read, err := Decode(goldenText(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden(), read); diff != "" {
		t.Errorf("read otherwise: %s", diff)
	}
}

func TestNoListenersAreAnEmptyList(t *testing.T) {
	d := golden()
	d.Inventory.Listeners = nil
	text, err := d.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if read.Inventory.Listeners == nil || len(read.Inventory.Listeners) != 0 {
		t.Errorf("listeners %#v, want an empty list that is not nil", read.Inventory.Listeners)
	}
}
