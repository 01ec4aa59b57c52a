package redundancy

// Ignored is a kind of message or call that had no effect.
type Ignored uint8

const (
	// IgnoredGarbage could not be read.
	IgnoredGarbage Ignored = iota
	// IgnoredVersion is in a form that this version does not know.
	IgnoredVersion
	// IgnoredOld is a snapshot that is not newer than the one that is known.
	IgnoredOld
	// IgnoredStranger comes from nobody that this node's view has, or is about
	// another role than this node's.
	IgnoredStranger
	// IgnoredFailure is a call of the bus, a prober or a publisher that failed,
	// panicked or did not return in time.
	IgnoredFailure

	ignoredCount = int(IgnoredFailure) + 1
)

// String returns the kind as metrics show it.
func (i Ignored) String() string {
	return [...]string{"garbage", "version", "old", "stranger", "failure"}[min(int(i), ignoredCount-1)]
}
