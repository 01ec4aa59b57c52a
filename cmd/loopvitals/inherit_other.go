//go:build !linux

package main

func keepInherited() {} // only Linux has a call for it
