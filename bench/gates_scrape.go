package bench

import (
	"errors"
	"math"
	"testing"
	"time"
)

// scrapeGates hold a scrape of all processors against the same series exported
// in the two usual ways.
func scrapeGates() []Gate {
	return []Gate{
		{ID: "P16", Name: "const metrics/text handler, 1k", Bound: 40, Min: true, Measure: textAndConstants(1000)},
		{ID: "P16", Name: "const metrics/text handler, 10k", Bound: 40, Min: true, Measure: textAndConstants(10_000)},
		{ID: "P17", Name: "otel exporter/text handler, 1k", Bound: 100, Min: true, Measure: textAndOTel(1000)},
		{ID: "P18", Name: "text per series, 100k/1k", Bound: 1.3, NoAllocs: true, Measure: textGrows(100_000, 1000)},
		{ID: "P20", Name: "const metrics/collector, 1k", Bound: 4, Min: true, Measure: collectors(1000)},
	}
}

// fewer bounds the rounds of a gate whose rival takes long for one operation.
func fewer(s Settings, most int) Settings {
	s.Rounds = min(s.withDefaults().Rounds, most)
	return s
}

// littered is for a rival that makes its answer of garbage, megabytes of it:
// either side pays for its own, in bursts that hold several collections of a
// rival's.
func littered(s Settings) Settings {
	s.Collect = true
	if s.Burst == 0 {
		s.Burst = 100 * time.Millisecond
	}
	return fewer(s, 15)
}

func textAndConstants(processors int) func(Settings) (Figure, error) {
	return withExports(processors, func(s Settings, e *exports) (Figure, error) {
		theirs, err := behindRegistry(e.constants)
		if err == nil {
			err = sameSeries(e.ours, theirs)
		}
		if err != nil {
			return Figure{}, err
		}
		return Compare(littered(s), scrapes(theirs), scrapes(e.ours)), nil
	})
}

func textAndOTel(processors int) func(Settings) (Figure, error) {
	return withExports(processors, func(s Settings, e *exports) (Figure, error) {
		if err := sameSeries(e.ours, e.otel); err != nil {
			return Figure{}, err
		}
		return Compare(littered(s), scrapes(e.otel), scrapes(e.ours)), nil
	})
}

// collectors compares what two collectors take of a scrape. What the registry
// does then with their series, and the text, cost the same for both.
func collectors(processors int) func(Settings) (Figure, error) {
	return withExports(processors, func(s Settings, e *exports) (Figure, error) {
		ours, err := behindRegistry(e.ours)
		if err != nil {
			return Figure{}, err
		}
		theirs, err := behindRegistry(e.constants)
		if err == nil {
			err = sameSeries(ours, theirs)
		}
		if err != nil {
			return Figure{}, err
		}
		return Compare(fewer(s, 21), collects(e.constants), collects(e.ours)), nil
	})
}

// withExports has a gate measured on so many processors.
func withExports(processors int, measure func(Settings, *exports) (Figure, error)) func(Settings) (Figure, error) {
	return func(s Settings) (f Figure, err error) {
		e, err := newExports(processors, nil)
		if err != nil {
			return Figure{}, err
		}
		defer func() { err = errors.Join(err, e.close()) }()
		return measure(s, e)
	}
}

// textGrows compares the cost of one series on a large and on a small board.
func textGrows(large, small int) func(Settings) (Figure, error) {
	return withExports(small, func(s Settings, few *exports) (f Figure, err error) {
		many, err := newExports(large, nil)
		if err != nil {
			return Figure{}, err
		}
		defer func() { err = errors.Join(err, many.close()) }()
		subject, baseline := scrapes(many.ours), scrapes(few.ours)
		f = Compare(fewer(s, 21), subject, baseline)
		perScrape := testing.AllocsPerRun(10, func() { baseline(1) })
		return f.perUnit(float64(many.series), float64(few.series), perScrape), nil
	})
}

// perUnit turns a figure of operations that handle different numbers of things
// into one per thing, and the allocations of a baseline's operation into those
// per thing, to a hundredth: a few for the whole are allowed.
func (f Figure) perUnit(subject, baseline, allocs float64) Figure {
	for _, ratio := range []*float64{&f.Value, &f.Low, &f.High} {
		*ratio *= baseline / subject
	}
	f.Case /= subject
	f.Base /= baseline
	f.Allocs = math.Floor(100*allocs/baseline) / 100
	return f
}
