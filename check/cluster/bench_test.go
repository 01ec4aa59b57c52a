package cluster_test

import (
	"context"
	"testing"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func BenchmarkGate(b *testing.B) {
	src := crowded()
	gate, err := cluster.NewGate(src, "admin", "driver")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("IsActive", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			gate.IsActive()
		}
	})
	for name, admit := range admissions {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, release, err := admit(gate, context.Background())
				if err != nil {
					b.Fatal(err)
				}
				release()
			}
		})
	}
	active := cluster.Active(src, cluster.ActivePolicy{})
	b.Run("Active", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			active.Check(context.Background())
		}
	})
}
