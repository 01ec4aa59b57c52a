package adapter

import "time"

// samples runs the command until the adapter stops, one sample after the other
// with a pause between them (S2.13, S2.14). Nothing else starts the command: no
// request does (S2.10).
func (a *Adapter) samples() {
	assessor := assessor{node: a.config.Node, maximumAge: a.config.MaximumAge}
	for !a.stopped() {
		a.publish(assessor.assess(a.sample()))
		if !a.rest() {
			return
		}
	}
}

// sample runs the command once. Its age is counted from before the command was
// started: what the command saw may be as old as that (S2.11).
func (a *Adapter) sample() sample {
	s := sample{started: a.now()}
	a.usage.running.Store(true)
	s.output, _, s.err = a.runner.Run()
	a.usage.running.Store(false)
	s.ended = a.now()
	return s
}

// publish has the probes answered by what the last sample said, good or bad.
func (a *Adapter) publish(result assessment) {
	a.standing.Store(&result.standing)
	a.usage.count(result)
	if !a.stopped() { // else it failed because it was stopped
		a.journal.write(a.now(), result)
	}
}

// rest waits between two samples, counted from the end of the first.
func (a *Adapter) rest() (more bool) {
	timer := time.NewTimer(a.config.Pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.stop:
		return false
	}
}
