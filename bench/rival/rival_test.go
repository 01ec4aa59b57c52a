package rival

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// dictionaries are both forms, by name.
func dictionaries() map[string]Dictionary {
	return map[string]Dictionary{"xsync": NewXSync(), "sync.Map": NewSyncMap()}
}

func TestDictionaryKeepsTheLastReport(t *testing.T) {
	for name, d := range dictionaries() {
		if got := d.Get("orders"); got != (Snapshot{ID: "orders"}) {
			t.Errorf("%s: unknown id gives %+v", name, got)
		}
		d.Report("orders", false, 7, false, noon)
		d.Report("orders", true, 8, true, noon.Add(time.Second))
		want := Snapshot{ID: "orders", Faulted: true, Lag: 8, Rebuilding: true, At: noon.Add(time.Second), HasReported: true}
		if got := d.Get("orders"); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		d.Report("audit", false, 0, false, noon)
		ids := d.IDs()
		slices.Sort(ids)
		if diff := cmp.Diff([]string{"audit", "orders"}, ids); diff != "" {
			t.Errorf("%s: ids (-want +got):\n%s", name, diff)
		}
	}
}

func TestDictionaryAllocatesWhatTheDesignDoes(t *testing.T) {
	for name, want := range map[string]float64{"xsync": 1, "sync.Map": 3} {
		d := dictionaries()[name]
		lag := int64(0)
		if got := testing.AllocsPerRun(100, func() { lag++; d.Report("orders", false, lag, false, noon) }); got != want {
			t.Errorf("%s: %v allocations a report, want %v", name, got, want)
		}
	}
}

func TestEvaluateFollowsTheRules(t *testing.T) {
	set := Thresholds{StaleAfter: 5 * time.Second, DegradedLag: 100}
	for _, tt := range []struct {
		name   string
		report func(Dictionary)
		set    Thresholds
		want   Status
		texts  []string
	}{
		{"nothing", func(Dictionary) {}, set, Healthy, nil},
		{"well", func(d Dictionary) { d.Report("a", false, 100, false, noon.Add(-5*time.Second)) }, set, Healthy, nil},
		{
			"silent", func(d Dictionary) { d.Report("a", false, 0, false, noon.Add(-5*time.Second-1)) }, set,
			Unhealthy,
			[]string{"Processor 'a' last reported 5.000000001s ago — possible wedge"},
		},
		{
			"behind", func(d Dictionary) { d.Report("a", false, 101, false, noon) }, set,
			Degraded,
			[]string{"Processor 'a' is 101 events behind"},
		},
		{"behind, no threshold", func(d Dictionary) { d.Report("a", false, 101, false, noon) }, Thresholds{}, Healthy, nil},
		{"behind, rebuilding", func(d Dictionary) { d.Report("a", false, 101, true, noon) }, set, Healthy, nil},
		{
			"faulted, and long ago", func(d Dictionary) { d.Report("a", true, 101, false, noon.Add(-time.Hour)) }, set,
			Unhealthy,
			[]string{"Processor 'a' faulted and stopped"},
		},
		{
			"worst of all", func(d Dictionary) {
				d.Report("a", true, 0, false, noon)
				d.Report("b", false, 101, false, noon)
				d.Report("c", false, 0, false, noon)
			}, set,
			Unhealthy,
			[]string{"Processor 'a' faulted and stopped", "Processor 'b' is 101 events behind"},
		},
	} {
		for name, d := range dictionaries() {
			tt.report(d)
			status, texts := Evaluate(d, tt.set, noon)
			slices.Sort(texts)
			if status != tt.want {
				t.Errorf("%s, %s: status %v, want %v", name, tt.name, status, tt.want)
			}
			if diff := cmp.Diff(tt.texts, texts); diff != "" {
				t.Errorf("%s, %s: texts (-want +got):\n%s", name, tt.name, diff)
			}
		}
	}
}

func TestRecord(t *testing.T) {
	rs := Records{}
	r := rs.Add("orders", time.Second)
	if rs["orders"] != r {
		t.Fatal("record is not on its map")
	}
	r.BeatLag(7, noon)
	cause := errors.New("poison")
	r.Fault(cause)
	if at, lag, state, err := r.Read(); !at.Equal(noon) || lag != 7 || state != 2 || err != cause {
		t.Errorf("read %v %d %d %v", at, lag, state, err)
	}
	if r.Stale(noon.Add(5 * time.Second)) {
		t.Error("stale at the bound")
	}
	if !r.Stale(noon.Add(5*time.Second + 1)) {
		t.Error("not stale past the bound")
	}
}

func TestSlotsReadsEachSlot(t *testing.T) {
	var want uint64
	for i := range uint64(3) {
		for w := uint64(0); w < wordsPerSlot; w += 2 {
			want += i ^ w
		}
	}
	if got := NewSlots(3).Read(); got != want {
		t.Errorf("sum %d, want %d", got, want)
	}
}
