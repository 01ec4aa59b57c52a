//go:build !race

package loopback

const raced = false
