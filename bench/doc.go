// Package bench measures loopvitals against its limits and its rivals, and
// turns the results into gates that a change must pass.
//
// # How a ratio is measured
//
// A benchmark that runs one case for a second and then the other measures the
// machine as much as the code: clock speed, neighbours and caches differ
// between the two seconds. Here a case and its baseline run by turns, each for
// a burst of one or two milliseconds, in random order within a round. A round
// gives one ratio, the case's CPU time per operation over the baseline's, and
// the figure is the median over all rounds: what disturbed one burst spoils
// one round and nothing else. CPU time and not wall time is counted, so that a
// burst that lost its CPU for a while is not the slower for it.
//
// Cases with several threads (see Team) run each thread locked to a CPU of its
// own and count its own CPU time. A round in which the threads did not really
// run at the same time is thrown away, because contention would not show.
//
// The garbage collector runs between rounds and never within a burst, so that
// its work falls on neither side by chance. What a rival's garbage costs later
// is then not held against it; where it is the point (Settings.Collect), bursts
// are so long that each holds several collections.
//
// # Rules for cases
//
// Case and baseline have loops of the same shape, memory is written before it
// is read in a measurement, and every result goes to a package-level sink or
// through an atomic operation, so that no measured call can be optimized away.
//
// The gates run with
//
//	go run ./cmd/gates
//
// and need Linux and, for the parallel ones, two CPUs. Nothing else should run
// meanwhile, least of all tests.
package bench
