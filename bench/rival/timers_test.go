package rival

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTimersLookAtEachRecordEveryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := Records{}
		records := []*Record{all.Add("orders", time.Hour), all.Add("audit", time.Second)}
		for _, r := range records {
			r.BeatLag(0, time.Now())
		}
		timers := StartTimers(records, time.Second)
		for _, tt := range []struct {
			after       time.Duration
			all, silent int64
		}{
			{499 * time.Millisecond, 0, 0},
			{2 * time.Millisecond, 1, 0}, // The first of the two, at half a second.
			{500 * time.Millisecond, 2, 0},
			{4 * time.Second, 10, 0}, // At five seconds audit's time is used up, not past.
			{time.Second, 12, 1},
		} {
			time.Sleep(tt.after)
			synctest.Wait()
			if all, silent := timers.Looks(); all != tt.all || silent != tt.silent {
				t.Errorf("%v looks, %d at a silent one; want %d, %d", all, silent, tt.all, tt.silent)
			}
		}
		timers.Stop()
		time.Sleep(time.Minute)
		if all, _ := timers.Looks(); all != 12 {
			t.Errorf("%d looks after Stop, want 12 as before", all)
		}
	})
}
