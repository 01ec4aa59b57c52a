package bench

import (
	"fmt"

	"github.com/loopvitals/loopvitals/board"
)

// ids returns n ids as an application would choose them.
func ids(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = id(i)
	}
	return list
}

func id(i int) string { return fmt.Sprintf("processor-%07d", i) }

// register puts n processors on b, each of which has reported once: memory is
// written before it is read in a measurement.
func register(b *board.Board, n int) []*board.Reporter {
	rs := make([]*board.Reporter, n)
	for i := range rs {
		rs[i] = b.MustRegister(board.Spec{ID: id(i)})
		rs[i].BeatLag(int64(i % 7))
	}
	return rs
}
