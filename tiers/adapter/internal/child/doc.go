// Package child runs one command at a time under a time limit and an output
// limit, and leaves nothing of it behind.
package child
