//go:build race

package loopback

// raced excuses what the race detector costs.
const raced = true
