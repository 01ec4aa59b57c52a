package check_test

import (
	"context"
	"testing"

	"github.com/loopvitals/loopvitals/check"
)

func BenchmarkSample(b *testing.B) {
	healthy := check.Func(func(context.Context) check.Result { return check.Result{Status: check.Healthy} })
	for _, bb := range []struct {
		name string
		c    check.Checker
		s    check.Sampling
	}{
		{"reused", healthy, check.Sampling{Reuse: check.DefaultMaxAge}},
		{"run", healthy, check.Sampling{NoReuse: true}},
		{"instant", instant{healthy}, check.Sampling{}},
	} {
		r := newRunner(b, bb.c, bb.s)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Sample(b.Context())
			}
		})
		b.Run(bb.name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r.Sample(b.Context())
				}
			})
		})
	}
}

func BenchmarkCheckAll(b *testing.B) {
	var runners []*check.Runner
	for range 1000 {
		runners = append(runners, newRunner(b, newDependency(), check.Sampling{Reuse: check.DefaultMaxAge}))
	}
	b.ReportAllocs()
	for b.Loop() {
		check.CheckAll(b.Context(), runners, func(int, *check.Sample) {})
	}
}

// TestReuseAllocatesNothing: the answer of almost every probe.
func TestReuseAllocatesNothing(t *testing.T) {
	d := newDependency()
	good := newRunner(t, d, check.Sampling{Reuse: check.DefaultMaxAge})
	hung := newRunner(t, d, check.Sampling{Limit: 1})
	ctx := t.Context()
	good.Check(ctx)
	release := d.hang()
	defer release()
	hung.Check(ctx)
	both := []*check.Runner{good, hung}
	for name, c := range map[string]struct {
		f    func()
		most float64
	}{
		"a reused result":   {func() { good.Sample(ctx) }, 0},
		"a hung check":      {func() { hung.Sample(ctx) }, 0},
		"the newest sample": {func() { good.Last() }, 0},
		"all":               {func() { check.CheckAll(ctx, both, func(int, *check.Sample) {}) }, 1}, // the sample that is lent
	} {
		if n := testing.AllocsPerRun(100, c.f); n > c.most {
			t.Errorf("%s allocates %v times, want %v", name, n, c.most)
		}
	}
}
