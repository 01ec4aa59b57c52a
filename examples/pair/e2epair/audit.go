//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"syscall"

	"github.com/loopvitals/loopvitals/examples/pair/field"
)

// finale stops the sensors, waits for what is on its way, ends everything, and
// judges all that was seen.
func (t *trial) finale(ctx context.Context) error {
	if err := must(t.unknowns > 0, "no fresh node was seen to deny since its role was unknown"); err != nil {
		return err
	}
	t.sensors()
	want, err := t.model(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(t.emitted(ctx, want), t.recorded(ctx, want)); err != nil {
		return err
	}
	if err := t.exported(ctx); err != nil {
		return err
	}
	if err := t.b.life.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := t.b.life.Exit(ctx, limit); err != nil {
		return fmt.Errorf("%w\n%s", err, t.b.life.Tail())
	}
	t.b.life.ended = now()
	t.disperse()
	t.crowd.Wait()
	return errors.Join(t.shownLevels(), t.published(), t.atOnce(), t.operations(ctx))
}

// five are all levels there are.
var five = []int{0, 100, 200, 240, 250}

// shownLevels requires that all five levels were shown, and no other.
func (t *trial) shownLevels() error {
	var errs []error
	seen := map[int]bool{}
	for _, l := range t.lives {
		h, err := readHistory(l.path)
		if err != nil {
			return err
		}
		for _, shown := range h {
			seen[shown.Level] = true
		}
		t.row(fmt.Sprintf("life %s of node %s", l.Name, l.slot.name), "%s", arrows(h.levels()))
	}
	all := slices.Sorted(maps.Keys(seen))
	errs = append(errs, must(slices.Equal(all, five), "the nodes showed the levels %v: must be %v", all, five))
	for _, at := range t.slots() {
		levels, reads := at.reader.levels()
		t.row("levels of "+at.name+" that clients have read over HTTP", "%v in %d reads", levels, reads)
		for _, level := range levels {
			errs = append(errs, must(slices.Contains(five, level), "clients have read level %d of node %s", level, at.name))
		}
	}
	return errors.Join(errs...)
}

// exported requires that B's counters are what was seen of it (S4.41, S4.42).
func (t *trial) exported(ctx context.Context) error {
	told := map[string]int{}
	for _, found := range publication.FindAllStringSubmatch(t.b.life.Log(), -1) {
		told[found[1]]++
	}
	sum := 0
	for _, level := range []string{"0", "100", "200", "240", "250"} {
		series := `redundancy_service_level_change_total{level="` + level + `"}`
		if err := t.counts(ctx, t.b, series, told[level]); err != nil {
			return err
		}
		sum += told[level]
	}
	t.row("B exports its changes of level, as its publisher was told", "%d", sum)
	for _, reason := range []string{"role-unknown", "secondary"} {
		series := `redundancy_primary_gate_denied_total{reason="` + reason + `",site="write"}`
		if n := t.counter(ctx, t.b, series); n <= 0 {
			return fmt.Errorf("node B: %s is %d: must be more", series, n)
		}
	}
	skipped := t.counter(ctx, t.b, `redundancy_primary_gate_denied_total{reason="secondary",site="alarm-emit"}`)
	t.row("  and the alarms that it has skipped as secondary", "%d", skipped)
	return must(skipped > 0, "node B has skipped no alarm as secondary")
}

var publication = regexp.MustCompile(`msg=ServiceLevel value=(\d+)`)

// published requires that the publisher was told the first level, and each other
// once when it came.
func (t *trial) published() error {
	for _, l := range t.lives {
		last := -1
		for _, found := range publication.FindAllStringSubmatch(l.Log(), -1) {
			level, err := strconv.Atoi(found[1])
			if err != nil {
				return err
			}
			if err := must(slices.Contains(five, level), "%s published level %d: must be of %v", l.Name, level, five); err != nil {
				return err
			}
			if last < 0 {
				if err := must(level == 0, "%s first published level %d: must be 0", l.Name, level); err != nil {
					return err
				}
			}
			if err := must(level != last, "%s published level %d twice", l.Name, level); err != nil {
				return err
			}
			last = level
		}
		if err := must(last >= 0, "%s published no level", l.Name); err != nil {
			return err
		}
	}
	return nil
}

// atOnce requires that no two lives showed 250, or had their gates open, at the
// same time.
func (t *trial) atOnce() error {
	var shown, served []span
	for _, l := range t.lives {
		h, err := readHistory(l.path)
		if err != nil {
			return err
		}
		shown = append(shown, h.spans(l, l.ended, func(l look) bool { return l.Level == 250 })...)
		served = append(served, h.spans(l, l.ended, func(l look) bool { return l.Serves })...)
	}
	level, a, b := overlap(shown)
	if level > 0 {
		return fmt.Errorf("%s and %s showed 250 at once, for %v", a.life.Name, b.life.Name, level)
	}
	gate, a, b := overlap(served)
	if gate > 0 {
		return fmt.Errorf("%s and %s had their gates open at once, for %v", a.life.Name, b.life.Name, gate)
	}
	t.row("two nodes at 250 at once, two gates open at once", "never, never")
	return nil
}

// operations requires that the device was told by one node at a time.
func (t *trial) operations(ctx context.Context) error {
	journal, err := t.journal.Journal(ctx)
	if err != nil {
		return err
	}
	tenures, done, refused, err := judge(journal)
	if err != nil {
		return err
	}
	var names []string
	for _, from := range tenures {
		for _, at := range t.slots() {
			if at.address == from {
				names = append(names, at.name)
			}
		}
	}
	t.row("the device obeyed, one after the other", "%v, %d writes; %d of old tokens refused", names, done, refused)
	denied := [2]int{}
	for i, what := range []string{roleUnknown, notPrimary} {
		denied[i] = t.a.writer.count(what) + t.b.writer.count(what)
	}
	t.row("writes denied: role unknown, secondary", "%d, %d", denied[0], denied[1])
	want := []string{"A", "B", "A", "B"}
	return must(slices.Equal(names, want), "the device obeyed %v: must be %v, as the role went", names, want)
}

// onTheirWay is how many operations a node can have let in when it loses its role: a
// client that is not answered within a second tries again.
const onTheirWay = 5

// judge returns who had the device, one tenure after the other. It is an error when
// a token that was accepted is smaller than one before, or has come from two nodes;
// and when more were refused of one than can have been on their way, since then a
// node went on after its tenure.
func judge(journal []field.Entry) (tenures []string, writes, refused int, err error) {
	largest, old := uint64(0), map[uint64]int{}
	for _, e := range journal {
		switch {
		case !e.Accepted:
			refused += e.Count
			if old[e.Token] += e.Count; old[e.Token] > onTheirWay {
				return nil, 0, 0, fmt.Errorf("%s went on with its token %d after %d", e.From, e.Token, largest)
			}
			continue
		case e.Token < largest:
			return nil, 0, 0, fmt.Errorf("the device accepted token %d of %s after %d", e.Token, e.From, largest)
		case e.Token > largest:
			tenures = append(tenures, e.From)
		case tenures[len(tenures)-1] != e.From:
			return nil, 0, 0, fmt.Errorf("token %d came from %s and from %s", e.Token, tenures[len(tenures)-1], e.From)
		}
		largest = e.Token
		if e.Op == field.Write {
			writes += e.Count
		}
	}
	return tenures, writes, refused, nil
}
