package cluster

import (
	"fmt"
	"time"
)

// What keep-oldest is used with, carried for those who run it (S4.35).
const (
	// StableAfter is how long the membership must have been unchanged before a
	// split is decided: while failures are still being detected, two sides
	// decide on different pictures.
	StableAfter = 15 * time.Second
	// FailureDetectorThreshold is the phi above which an accrual failure
	// detector calls a member unreachable.
	FailureDetectorThreshold = 10.0
)

// SplitView is what a node sees when its cluster has come apart.
type SplitView struct {
	// OldestHere tells whether the oldest member is on this node's side.
	OldestHere bool
	// Here is the number of members on this side, the node itself included.
	Here int
	// There is the number of members that cannot be reached.
	There int
}

// SplitDecision is what a side does about a split. The zero SplitDecision is
// DownSelf.
type SplitDecision uint8

const (
	// DownSelf is to stop, all members of this side.
	DownSelf SplitDecision = iota
	// DownOthers is to go on, and to remove the members of the other side.
	DownOthers
)

// String returns "down_self" or "down_others".
func (d SplitDecision) String() string {
	switch d {
	case DownSelf:
		return "down_self"
	case DownOthers:
		return "down_others"
	}
	return fmt.Sprintf("SplitDecision(%d)", uint8(d))
}

// KeepOldest is the keep-oldest rule for a cluster without an engine: the side
// with the oldest member goes on. With downIfAlone it does not when the oldest is
// alone and two or more are on the other side, who go on then (S4.35). It is pure,
// and advice: nothing in this module acts on it. A view that cannot be is
// DownSelf.
//
// On a pair it does not give fail-over: the survivor of a crash of the oldest sees
// what it would see if it were cut off, one member here and one there, and downs
// itself. No rule for two nodes is both safe and available; majority and quorum
// rules are wrong for them as well, since one of two is no majority. Use an engine
// with a third vote (X29).
func KeepOldest(v SplitView, downIfAlone bool) SplitDecision {
	if v.Here < 1 || v.There < 0 {
		return DownSelf
	}
	goesOn := v.OldestHere
	withOldest, without := v.Here, v.There
	if !v.OldestHere {
		withOldest, without = v.There, v.Here
	}
	if downIfAlone && withOldest == 1 && without >= 2 {
		goesOn = !goesOn
	}
	if goesOn {
		return DownOthers
	}
	return DownSelf
}
