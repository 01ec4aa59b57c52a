//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "e2e-pair: needs Linux, where all processes have one clock")
	os.Exit(1)
}
