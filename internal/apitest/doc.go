// Package apitest holds the public API as text: one sorted listing of exported
// declarations for each package, in api/ at the repository's root, compared by
// go test. A change of the API is then a changed line in the same commit, seen
// by whoever reviews it.
//
// Rewrite the listings with
//
//	make api-update
//
// Metric names, attribute keys and JSON field names are API too; the packages
// that write them keep them in golden files of their own.
package apitest
