//go:build race

package casmember_test

// raceEnabled tells whether the race detector is on.
const raceEnabled = true
