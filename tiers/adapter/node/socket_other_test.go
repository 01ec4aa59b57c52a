//go:build !linux

package node

const atomicTakeover = false
