//go:build race

package head_test

// raced shortens what the race detector slows down.
const raced = true
