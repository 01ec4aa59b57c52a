package adapter

import "log/slog"

// Option says what a Config file cannot.
type Option func(*Adapter)

// WithLogger has the adapter log its changes of state, and nothing else: at most
// 20 lines at once and then one in 10 s. Lines name what the node lacks, and quote
// nothing that the command printed (A12). A handler should not block: the adapter does not sample
// meanwhile, and so answers 503 before long. Nil, and the default, log nothing.
func WithLogger(logger *slog.Logger) Option {
	return func(a *Adapter) {
		if logger != nil {
			a.journal.logger = logger
		}
	}
}
