package reading

import (
	"fmt"
	"testing"

	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

// TestNothingOfThoseThatLeftIsKept: neither what was prepared for them nor the
// room for them outlives the next reading into the same rows (CASE-115).
func TestNothingOfThoseThatLeftIsKept(t *testing.T) {
	b := board.New()
	m, err := liveness.NewMonitor(b)
	if err != nil {
		t.Fatal(err)
	}
	s := source[*int]{monitor: m, prepare: func(string) *int { return new(int) }}
	var read Board[*int]
	live := 0
	for _, n := range []int{0, 3000, 3001, 2999, 1700, 1400, 300, 299, 0, 5} {
		for ; live < n; live++ {
			b.MustRegister(board.Spec{ID: fmt.Sprint(live)})
		}
		for ; live > n; live-- {
			b.Remove(fmt.Sprint(live - 1))
		}
		s.read(&read)
		if len(read.Rows) != n {
			t.Fatalf("%d rows of %d processors", len(read.Rows), n)
		}
		if room := cap(read.Rows); room > 3*n+spareRows {
			t.Errorf("room for %d rows is kept for %d processors", room, n)
		}
		for _, r := range read.Rows[n:cap(read.Rows)] {
			if r.Prepared != nil {
				t.Fatalf("what was prepared for processors that left is kept beside %d that stayed", n)
			}
		}
	}
}

// TestRoomIsKept: a board that hardly changes is read into the same rows.
func TestRoomIsKept(t *testing.T) {
	for _, n := range []int{0, 1, spareRows, 10_000} {
		rows := roomFor[int](nil, n)
		for _, next := range []int{n, n + n/16, n - n/4} {
			again := roomFor(rows, next)
			if n > 0 && &again[:1][0] != &rows[:1][0] {
				t.Errorf("rows for %d were made anew for %d", n, next)
			}
		}
	}
}
