package cluster_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
	"github.com/loopvitals/loopvitals/check/cluster/clustertest"
)

// freezing is a source whose process is frozen once, between the reading of the
// clock and that of the view.
type freezing struct {
	*clustertest.Script
	pause atomic.Int64 // nanoseconds
}

func (f *freezing) View() *cluster.View {
	v := f.Script.View()
	time.Sleep(time.Duration(f.pause.Swap(0)))
	return v
}

// TestFreezeWhileItIsLetIn: a decision that was frozen is an old one, and what it
// lets in must not have more time than was left when the clock was read.
func TestFreezeWhileItIsLetIn(t *testing.T) {
	for name, enter := range map[string]func(*cluster.Gate, context.Context) (context.Context, func(), error){
		"Acquire": (*cluster.Gate).Acquire,
		"Enter":   (*cluster.Gate).Enter,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &freezing{Script: activeScript(a, 900*time.Millisecond)}
				src.pause.Store(int64(time.Minute))
				ctx, release, err := enter(newGate(t, src), t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer release()
				synctest.Wait()
				if !ended(ctx) {
					t.Error("work goes on a minute after its fence")
				}
			})
		})
	}
}

// TestFreezeDuringALook: the same, when lasting work asks again.
func TestFreezeDuringALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &freezing{Script: activeScript(a, 1900*time.Millisecond)}
		ctx, release, err := newGate(t, src).Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		src.pause.Store(int64(10 * time.Second)) // met by the look after a second
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if !ended(ctx) {
			t.Error("work goes on long after its fence")
		}
	})
}
