package board_test

import (
	"testing"

	"github.com/loopvitals/loopvitals/board"
)

// TestEndsEndWorkers: however an incarnation ends, its workers end with it, and
// a Restart of one returns it unchanged.
func TestEndsEndWorkers(t *testing.T) {
	for name, end := range map[string]func(b *board.Board, r *board.Reporter){
		"Close":   func(_ *board.Board, r *board.Reporter) { r.Close() },
		"Restart": func(_ *board.Board, r *board.Reporter) { r.Restart() },
		"Remove":  func(b *board.Board, r *board.Reporter) { b.Remove(r.Key()) },
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := newBoard()
			r := register(t, b, "orders")
			w, err := r.Worker("1")
			if err != nil {
				t.Fatal(err)
			}
			end(b, r)
			if w.Restart() != w {
				t.Error("the worker was restarted: it must have ended")
			}
		})
	}
}
