package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
)

// Member is one thread of a Team.
type Member struct {
	Burst Burst
	// Background members are there to disturb: they run one operation after
	// the other while the others are measured, and are not measured.
	Background bool
}

// Team is a case with several threads, one CPU each.
type Team []Member

// Reduce makes one ratio of the CPU times per operation, in ns, of the members
// of both teams; those of background members are zero.
type Reduce func(subject, baseline []float64) float64

// CompareTeams measures a ratio like Compare does, with each member on a
// locked thread pinned to a CPU of its own and timed by that thread's clock.
// It fails when there are fewer CPUs than members, and when other work keeps
// the CPUs so busy that the members hardly ever run at the same time.
func CompareTeams(s Settings, subject, baseline Team, reduce Reduce) (Figure, error) {
	s = s.withDefaults()
	defer collector(collectorOff)()
	settle()
	c, err := newCrew(max(len(subject), len(baseline)))
	if err != nil {
		return Figure{}, err
	}
	defer c.dismiss()

	teams := [2]Team{subject, baseline}
	var sizes [2][]int
	for i, team := range teams {
		for _, m := range team {
			n := 1 // A background member repeats this until the others are through.
			if !m.Background {
				n = calibrate(m.Burst, s.Burst)
			}
			sizes[i] = append(sizes[i], n)
		}
	}
	var t tally
	const patience = 20
	for tries := 0; len(t.ratios) < s.Rounds; tries++ {
		if tries == patience*s.Rounds {
			return Figure{}, fmt.Errorf("bench: other work holds the CPUs: %d of %d rounds ran side by side, want %d",
				len(t.ratios), tries, s.Rounds)
		}
		runtime.GC()
		var perOp [2][]float64
		together := true
		first := rand.IntN(2)
		for _, i := range [2]int{first, 1 - first} {
			var ok bool
			perOp[i], ok = c.run(teams[i], sizes[i])
			together = together && ok
		}
		if together {
			t.add(reduce(perOp[0], perOp[1]), mean(perOp[0]), mean(perOp[1]))
		}
	}
	return t.figure(), nil
}

// mean is that of the measured members, those above zero.
func mean(perOp []float64) float64 {
	var sum, count float64
	for _, v := range perOp {
		if v > 0 {
			sum += v
			count++
		}
	}
	return sum / max(count, 1)
}
