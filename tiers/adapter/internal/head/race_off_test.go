//go:build !race

package head_test

const raced = false
