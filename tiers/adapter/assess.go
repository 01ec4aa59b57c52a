package adapter

import (
	"math"
	"time"

	"github.com/loopvitals/loopvitals/tiers/adapter/observation"
)

// sample is one run of the command, as it was seen from here.
type sample struct {
	started instant // before the command existed
	ended   instant // after it was gone
	output  []byte
	err     error
}

// assessment is what came of a sample.
type assessment struct {
	standing
	verdict
	err  error         // why the command failed; for the log only
	took time.Duration // by the command
	age  time.Duration // of the node's facts when the sample ended, if it was good
}

// assessor turns samples into standings. One goroutine uses it.
type assessor struct {
	node       string
	maximumAge time.Duration
	latch      latch
}

// assess judges a sample. One that failed says no to everything, whatever the one
// before it said; so does one that was too old when it came, which is not good
// and so does not close the latch (S2.3).
func (a *assessor) assess(s sample) assessment {
	result := assessment{took: s.ended.since(s.started)}
	if s.err != nil {
		result.lacks, result.err = lacksCommand, s.err
		return result
	}
	d, err := observation.Decode(s.output)
	if err != nil {
		result.lacks = lacksDocument
		return result // without err: it quotes what the command printed, perhaps its secret
	}
	result.verdict = judge(&d, a.node)
	if result.lacks == lacksIdentity {
		return result // another node's life opens no latch
	}
	from := s.started.less(nodeAge(d.Sampled.AgeMs))
	if result.age = s.ended.since(from); result.age > a.maximumAge {
		result.verdict = verdict{lacks: lacksFreshness}
	}
	a.latch.see(d.Identity.Instance, result.ready)
	result.standing = standing{
		passes: [endpoints]bool{
			startup: a.latch.closed && result.live,
			ready:   result.ready,
			live:    result.live,
		},
		from: from,
	}
	return result
}

// nodeAge is the age that the node counted itself. One that is too large for a
// duration is too old in any case, and must not come out as young.
func nodeAge(ms int64) time.Duration {
	const most = math.MaxInt64 / 4 / int64(time.Millisecond)
	return time.Duration(min(max(ms, 0), most)) * time.Millisecond
}
