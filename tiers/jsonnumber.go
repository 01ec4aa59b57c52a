package tiers

import (
	"math"
	"strconv"
	"time"
)

// appendFloat appends f as encoding/json does: the shortest digits that read
// back as f, with an exponent only for the very large and the very small. JSON
// has no word for NaN and the infinities: they are null (CASE-112).
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) || bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is written e-9
		dst = dst[:n-1]
	}
	return dst
}

// appendMillis appends d in milliseconds and keeps its fraction to the
// nanosecond, in whole-number arithmetic: 100 µs is 0.1 (S1.41, X11). A
// negative duration is 0.
func appendMillis(dst []byte, d time.Duration) []byte {
	if d <= 0 {
		return append(dst, '0')
	}
	dst = strconv.AppendInt(dst, int64(d/time.Millisecond), 10)
	fraction := d % time.Millisecond
	if fraction == 0 {
		return dst
	}
	dst = appendThousandths(append(dst, '.'), fraction/time.Microsecond)
	if fraction %= time.Microsecond; fraction > 0 {
		dst = appendThousandths(dst, fraction)
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendThousandths appends the three digits of n.
func appendThousandths(dst []byte, n time.Duration) []byte {
	return append(dst, '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10))
}
