package resubscribe

import (
	"context"
	"slices"
)

// request asks the peer for the items and returns one answer for each.
func (s *Subscriber) request(ctx context.Context, items []string) []Added {
	if len(items) == 0 {
		return nil
	}
	if s.batched {
		return s.whole(ctx, items, func(items []string) ([]Added, error) {
			return s.client.Subscribe(ctx, items, s.supervisory)
		})
	}
	answers := s.whole(ctx, items, func(items []string) ([]Added, error) {
		return s.client.Add(ctx, items)
	})
	s.advise(ctx, answers)
	return answers
}

// whole sends one request that is about all items. What it fails with is the
// answer for each of them.
func (s *Subscriber) whole(ctx context.Context, items []string, send func([]string) ([]Added, error)) []Added {
	replies := each(ctx, s.slots, 1, func(int) ([]Added, error) {
		answers, err := send(slices.Clone(items)) // of which the client may do what it likes
		if err == nil && len(answers) != len(items) {
			err = miscounted(len(answers), len(items))
		}
		return slices.Clone(answers), err
	})
	if err := replies[0].err; err != nil {
		return slices.Repeat([]Added{{Err: err}}, len(items))
	}
	return replies[0].value
}

// advise sends one request for each item that was added, and turns the answer of
// one that fails into its error.
func (s *Subscriber) advise(ctx context.Context, answers []Added) {
	var added []int
	var handles []Handle // a call that stays must not read what is written below
	for i, a := range answers {
		if a.Err == nil {
			added, handles = append(added, i), append(handles, a.Handle)
		}
	}
	replies := each(ctx, s.slots, len(handles), func(i int) (struct{}, error) {
		return struct{}{}, s.client.AdviseSupervisory(ctx, handles[i])
	})
	for i, r := range replies {
		if r.err != nil {
			answers[added[i]].Err = r.err
		}
	}
}
