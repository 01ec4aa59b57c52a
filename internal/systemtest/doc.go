// Package systemtest tests the library over long lives and against the kernel:
// boards that many processors pass through, processes that are frozen or starved
// by control groups, and a clone that belongs to somebody else. It has no code of
// its own. What needs root has the build tag system and runs with
//
//	make test-system
package systemtest
