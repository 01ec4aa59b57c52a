package alarm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTake(t *testing.T) {
	below := func(v float64) float64 { return math.Nextafter(v, 0) }
	type step struct {
		seq   uint64
		value float64
		want  string // "", raised or cleared
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"raised at the limit", []step{{1, below(80), ""}, {2, 80, "raised"}, {3, 81, ""}}},
		{"cleared one step below the band", []step{{1, 80, "raised"}, {2, 75, ""}, {3, below(75), "cleared"}}},
		{"within the band nothing is raised", []step{{1, 79, ""}, {2, 76, ""}}},
		{"raised again", []step{{1, 90, "raised"}, {2, 10, "cleared"}, {3, 90, "raised"}}},
		{"taken twice", []step{{5, 90, "raised"}, {5, 10, ""}, {4, 10, ""}, {6, 10, "cleared"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Limit{High: 80, Band: 5})
			for _, step := range c.steps {
				got, changed := s.Take(step.seq, Reading{Tag: "a", Value: step.value})
				want := Transition{Seq: step.seq, Tag: "a", Raised: step.want == "raised", Value: step.value}
				if changed != (step.want != "") || changed && got != want {
					t.Errorf("reading %d, %v: got %+v, %v, want %q", step.seq, step.value, got, changed, step.want)
				}
			}
		})
	}
}

func TestTagsAreApart(t *testing.T) {
	s := New(Limit{High: 80, Band: 5})
	s.Take(1, Reading{"a", 90})
	s.Take(2, Reading{"b", 90})
	s.Take(3, Reading{"a", 10})
	seq, alarms := s.Snapshot()
	want := map[string]Condition{"a": {Since: 3}, "b": {Active: true, Since: 2}}
	if diff := cmp.Diff(want, alarms); seq != 3 || diff != "" {
		t.Errorf("seq %d, -want +got:\n%s", seq, diff)
	}
}

func TestAcknowledge(t *testing.T) {
	s := New(Limit{High: 80, Band: 5})
	if s.Acknowledge("a") {
		t.Error("acknowledged what was never raised")
	}
	s.Take(1, Reading{"a", 90})
	if !s.Acknowledge("a") {
		t.Error("not acknowledged")
	}
	if _, alarms := s.Snapshot(); !alarms["a"].Acknowledged {
		t.Error("not kept")
	}
	s.Take(2, Reading{"a", 10})
	s.Take(3, Reading{"a", 90})
	if _, alarms := s.Snapshot(); alarms["a"].Acknowledged {
		t.Error("an alarm that is raised again was seen by nobody yet")
	}
}

// TestTwoNodesAgree: whoever joins late and reads from the beginning, with some
// readings twice, comes to the same transitions.
func TestTwoNodesAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	one, other := New(Limit{High: 80, Band: 5}), New(Limit{High: 80, Band: 5})
	var first, second []Transition
	take := func(s *State, into *[]Transition, seq int, r Reading) {
		if tr, changed := s.Take(uint64(seq), r); changed {
			*into = append(*into, tr)
		}
	}
	var input []Reading
	for seq := range 2000 {
		input = append(input, Reading{Tag: string(rune('a' + random.IntN(3))), Value: 60 + 40*random.Float64()})
		take(one, &first, seq+1, input[seq])
	}
	for seq := range input {
		take(other, &second, seq+1, input[seq])
		if back := seq - random.IntN(5); back >= 0 {
			take(other, &second, back+1, input[back])
		}
	}
	if diff := cmp.Diff(first, second); diff != "" || len(first) < 100 {
		t.Errorf("%d transitions, -one +other:\n%s", len(first), diff)
	}
}
