// Package docstest holds the documentation to the code: every requirement names
// tests that exist, every reason has an entry in the operations guide, the
// quick start compiles, and links lead somewhere. It has no code of its own.
package docstest
