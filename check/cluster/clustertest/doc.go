// Package clustertest is for the tests of programs and drivers that use
// check/cluster.
//
// Script is a cluster.Source that a test drives: members come, become Up and go,
// the clock moves when the test says so, and the fence passes. With it the gates
// and checks of an application are tested without an engine. Clock follows the
// bubbles of testing/synctest.
//
// TestKV is the conformance suite for those who write a driver, a casmember.KV.
package clustertest
