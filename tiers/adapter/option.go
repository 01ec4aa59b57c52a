package adapter

import "log/slog"

// Option gives an Adapter a collaborator.
type Option interface{ apply(*Adapter) }

type optionFunc func(*Adapter)

func (f optionFunc) apply(a *Adapter) { f(a) }

// WithLogger has the adapter log its changes of state, and nothing else: at most
// 20 lines at once and then one in 10 s. Lines name what the node lacks, and quote
// nothing that the command printed (A12). A handler should not block: the adapter
// does not sample meanwhile, and so answers 503 before long. Nil, and the default,
// log nothing.
func WithLogger(logger *slog.Logger) Option {
	return optionFunc(func(a *Adapter) {
		if logger != nil {
			a.journal.logger = logger
		}
	})
}
