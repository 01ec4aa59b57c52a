// Package systemtest tests what needs root or the kernel's help: processes that
// are frozen or starved by control groups, and a clone that belongs to somebody
// else. It has no code of its own, and its tests run with
//
//	make test-system
package systemtest
