// Package systemtest tests the library against the kernel: processes that are
// frozen or starved by control groups, and a clone that belongs to somebody else.
// It has no code of its own. Its tests need root, have the build tag system, and
// run with
//
//	make test-system
package systemtest
