package casmember

import (
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func aLife() life {
	return newLife(Config{Address: "10.0.0.1:4053", TTL: 3 * time.Second}, "N", 1)
}

const claim = 2500 * time.Millisecond

func TestLifeRises(t *testing.T) {
	l := aLife()
	if r := l.next(true); r.status != cluster.Joining || l.rising {
		t.Error("Up before there is a record")
	}
	l.acknowledge(at(1), claim, 5)
	if r := l.next(false); r.status != cluster.Joining {
		t.Error("Up before it is due")
	}
	if r := l.next(true); r.status != cluster.Up || r.age != 0 || !l.rising {
		t.Errorf("%+v", r)
	}
	l.acknowledge(at(2), claim, 8)
	if r := l.next(true); r.status != cluster.Up || r.age != 8 {
		t.Errorf("the age is the revision of the step to Up: %+v", r)
	}
	l.acknowledge(at(3), claim, 9)
	if r := l.next(true); r.age != 8 {
		t.Errorf("and stays: %+v", r)
	}
}

// A heartbeat that is still on its way could arrive in place of the step to Up.
func TestLifeDoesNotRiseInDoubt(t *testing.T) {
	l := aLife()
	l.acknowledge(at(1), claim, 5)
	l.next(false)
	l.fail()
	if !l.doubt {
		t.Error("no doubt")
	}
	l.found(5)
	if r := l.next(true); r.status != cluster.Joining || l.doubt {
		t.Error("rose with a heartbeat on its way")
	}
	l.fail()
	l.found(6) // whichever it was, it was a heartbeat, and none can follow
	if r := l.next(true); r.status != cluster.Up {
		t.Error("did not rise")
	}
	l.fail()
	l.found(6) // not yet there; the attempts that may arrive are all for Up
	if r := l.next(true); r.status != cluster.Up || l.record.age != 0 {
		t.Error("gave up the step that it had begun")
	}
	l.fail()
	l.found(9)
	if r := l.next(true); r.status != cluster.Up || r.age != 9 {
		t.Errorf("%+v", r)
	}
}

func TestLifeFence(t *testing.T) {
	l := aLife()
	l.acknowledge(at(1), claim, 5)
	if l.fence != at(3.5) || l.confirmed != at(1) {
		t.Errorf("fence %d", l.fence)
	}
	l.fail()
	l.found(7)
	l.found(6) // by a replica that is behind
	if l.fence != at(3.5) || l.revision != 7 {
		t.Errorf("a read moved the fence to %d, revision %d", l.fence, l.revision)
	}
}

func TestLifeThatLeavesDoesNotRise(t *testing.T) {
	l := aLife()
	l.acknowledge(at(1), claim, 5)
	l.next(true)
	l.fail()
	l.record.status = cluster.Leaving
	l.found(6)
	if r := l.next(true); r.status != cluster.Leaving {
		t.Errorf("%+v", r)
	}
}
