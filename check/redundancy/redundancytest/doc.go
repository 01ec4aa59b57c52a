// Package redundancytest is for those who write a redundancy.Bus: TestBus is its
// conformance suite. See the tests of the modules etcdbus and natsbus for its use
// on a real engine.
package redundancytest
