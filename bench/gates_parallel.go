package bench

import (
	"github.com/loopvitals/loopvitals/board"
	"github.com/loopvitals/loopvitals/liveness"
)

// parallelGates show what loops and readers cost one another.
func parallelGates() []Gate {
	return []Gate{
		{ID: "P11", Name: "two writers, neighbours/far apart", Bound: 1.15, Measure: neighbours},
		{ID: "P12", Name: "throughput, two writers/one", Bound: 1.7, Min: true, Measure: twoWriters},
		{ID: "P13", Name: "writer beside a scanner/alone", Bound: 1.2, Measure: besideScanner},
	}
}

// neighbours writes to the coarse board: without the clock's 30 ns nothing
// hides a cache line that two processors share.
func neighbours(s Settings) (Figure, error) {
	const processors = 10_000
	b, stop := coarseBoard()
	defer stop()
	rs := register(b, processors)
	first, next, far := lags(rs[100]), lags(rs[101]), lags(rs[processors-100])
	return CompareTeams(s, Team{{Burst: first}, {Burst: next}}, Team{{Burst: first}, {Burst: far}},
		func(near, far []float64) float64 { return (near[0] + near[1]) / (far[0] + far[1]) })
}

func twoWriters(s Settings) (Figure, error) {
	rs := register(board.New(), 2)
	one, other := lags(rs[0]), lags(rs[1])
	return CompareTeams(s, Team{{Burst: one}, {Burst: other}}, Team{{Burst: one}},
		func(two, alone []float64) float64 { return (1/two[0] + 1/two[1]) * alone[0] })
}

// besideScanner has a scanner judge all processors without pause while one of
// them reports.
func besideScanner(s Settings) (Figure, error) {
	const processors = 10_000
	b := board.New()
	write := lags(register(b, processors)[processors/2])
	m, err := liveness.NewMonitor(b)
	if err != nil {
		return Figure{}, err
	}
	var verdicts []liveness.Verdict
	scan := func(n int) {
		for range n {
			verdicts = m.Append(verdicts[:0])
		}
	}
	return CompareTeams(s, Team{{Burst: write}, {Burst: scan, Background: true}}, Team{{Burst: write}},
		func(beside, alone []float64) float64 { return beside[0] / alone[0] })
}
