package prom

import (
	"strconv"

	"github.com/loopvitals/loopvitals/otelbridge/internal/catalogue"
)

// appendValue appends the value of a metric of a kind.
func appendValue(dst []byte, kind catalogue.Kind, n int64) []byte {
	if kind == catalogue.Seconds || kind == catalogue.Histogram {
		return appendSeconds(dst, n)
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendSeconds appends nanoseconds as seconds, with all digits that are not
// zero. Read back as a float they give reading.Seconds, and they cost a third of
// what the shortest form of a float does.
func appendSeconds(dst []byte, ns int64) []byte {
	const second = 1_000_000_000
	n := uint64(ns)
	if ns < 0 {
		dst = append(dst, '-')
		n = -n
	}
	dst = strconv.AppendUint(dst, n/second, 10)
	fraction := n % second
	if fraction == 0 {
		return dst
	}
	var digits [10]byte
	digits[0] = '.'
	for i := 9; i > 0; i-- {
		digits[i] = byte('0' + fraction%10)
		fraction /= 10
	}
	last := 9
	for digits[last] == '0' {
		last--
	}
	return append(dst, digits[:last+1]...)
}
