//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "e2e-adapter: needs Linux, where the adapter has a server and a command of its own making")
	os.Exit(1)
}
