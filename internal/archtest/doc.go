// Package archtest holds the architecture of loopvitals as tests: which folder
// may import which, how the nested modules stand to the root, and how large a
// file may grow. It has no code of its own, and its tests need nothing but the
// go command.
//
// The import table is in rules_test.go. A new folder needs a row there before
// its first package is accepted, and the row needs a reason.
package archtest
