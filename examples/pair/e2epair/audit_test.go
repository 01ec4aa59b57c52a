//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
	"github.com/loopvitals/loopvitals/examples/pair/field"
	"github.com/loopvitals/loopvitals/examples/pair/warm"
)

func TestJudge(t *testing.T) {
	accepted := func(op field.Op, token uint64, from string, n int) field.Entry {
		return field.Entry{Op: op, Token: token, From: from, Accepted: true, Count: n}
	}
	for _, c := range []struct {
		name            string
		journal         []field.Entry
		tenures         []string
		writes, refused int
		err             string
	}{
		{name: "nothing"},
		{
			name: "in turn",
			journal: []field.Entry{
				accepted(field.Advise, 4, "a", 1), accepted(field.Write, 4, "a", 2), accepted(field.Advise, 9, "b", 1),
				{Op: field.Write, Token: 4, From: "a", Count: 3},
				accepted(field.Write, 9, "b", 1), accepted(field.Ack, 12, "a", 1),
			},
			tenures: []string{"a", "b", "a"}, writes: 3, refused: 3,
		},
		{
			name:    "an old token",
			journal: []field.Entry{accepted(field.Write, 9, "b", 1), accepted(field.Write, 4, "a", 1)},
			err:     "the device accepted token 4 of a after 9",
		},
		{
			name:    "one token, two nodes",
			journal: []field.Entry{accepted(field.Write, 9, "b", 1), accepted(field.Advise, 9, "a", 1)},
			err:     "token 9 came from b and from a",
		},
		{
			name:    "a node that goes on",
			journal: []field.Entry{accepted(field.Write, 9, "b", 1), {Op: field.Advise, Token: 4, From: "a", Count: 3}, {Op: field.Ack, Token: 4, From: "a", Count: 3}},
			err:     "a went on with its token 4 after 9",
		},
	} {
		tenures, writes, refused, err := judge(c.journal)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: got %v, want %s", c.name, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(tenures, c.tenures) || writes != c.writes || refused != c.refused {
			t.Errorf("%s: got %v, %d, %d, %v", c.name, tenures, writes, refused, err)
		}
	}
}

// TestModel: two ways to evaluate the same input come to the same.
func TestModel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var input []alarm.Reading
	var want []alarm.Transition
	s := alarm.New(warm.Limit)
	for i := range 5000 {
		r := alarm.Reading{Tag: string(rune('a' + random.IntN(3))), Value: warm.Limit.High - warm.Limit.Band*float64(random.IntN(4)-1)}
		input = append(input, r)
		if one, changed := s.Take(uint64(i+1), r); changed {
			want = append(want, one)
		}
	}
	if got := transitions(input, warm.Limit); !slices.Equal(got, want) || len(got) < 500 {
		t.Errorf("%d and %d transitions: %v", len(got), len(want), difference(want, got))
	}
}

func TestDifference(t *testing.T) {
	all := []alarm.Transition{{Seq: 1}, {Seq: 2}, {Seq: 3}}
	for _, c := range []struct {
		got  []alarm.Transition
		want string
	}{
		{all, ""},
		{all[:2], "is missing"},
		{append(slices.Clone(all), alarm.Transition{Seq: 3}), "is too many"},
		{[]alarm.Transition{{Seq: 1}, {Seq: 1}, {Seq: 2}}, "in the place of"},
	} {
		err := difference(all, c.got)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
