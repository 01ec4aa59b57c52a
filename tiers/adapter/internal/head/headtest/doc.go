// Package headtest has requests and what each deserves, for the tests of the
// parser and of the servers that use it.
package headtest
