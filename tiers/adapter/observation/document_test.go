package observation

import "testing"

func TestSpare(t *testing.T) {
	for _, test := range []struct {
		use  Use
		want bool
	}{
		{Use{}, false},
		{Use{InUse: 0, Limit: 1}, true},
		{Use{InUse: 1, Limit: 1}, false},
		{Use{InUse: 2, Limit: 1}, false},
		{Use{InUse: mostExact - 1, Limit: mostExact}, true},
	} {
		if got := test.use.Spare(); got != test.want {
			t.Errorf("%+v: spare %v", test.use, got)
		}
	}
	free, full := Use{0, 1}, Use{1, 1}
	for _, test := range []struct {
		capacity Capacity
		want     bool
	}{
		{Capacity{}, false},
		{Capacity{free, free, free}, true},
		{Capacity{full, free, free}, false},
		{Capacity{free, full, free}, false},
		{Capacity{free, free, full}, false},
	} {
		if got := test.capacity.Spare(); got != test.want {
			t.Errorf("%+v: spare %v", test.capacity, got)
		}
	}
}

func TestInventoryLive(t *testing.T) {
	live, dead := Listener{Live: true}, Listener{}
	for _, test := range []struct {
		inventory Inventory
		want      bool
	}{
		{Inventory{}, false},
		{Inventory{Complete: true}, false},
		{Inventory{Complete: true, Listeners: []Listener{}}, false},
		{Inventory{Complete: true, Listeners: []Listener{live}}, true},
		{Inventory{Complete: true, Listeners: []Listener{live, live}}, true},
		{Inventory{Complete: false, Listeners: []Listener{live}}, false},
		{Inventory{Complete: true, Listeners: []Listener{dead, live}}, false},
		{Inventory{Complete: true, Listeners: []Listener{live, dead}}, false},
	} {
		if got := test.inventory.Live(); got != test.want {
			t.Errorf("%+v: live %v", test.inventory, got)
		}
	}
}

// TestZeroDocument shows that nothing is no good news.
func TestZeroDocument(t *testing.T) {
	var d Document
	if d.Pressure.Available || d.Inventory.Live() || d.Capacity.Spare() || d.Activation.Ready || d.Native.Healthy || d.Native.Owner || d.Result == Succeeded {
		t.Error("the zero document says something good")
	}
	if _, err := d.Append(nil); err == nil {
		t.Error("the zero document can be written")
	}
}
