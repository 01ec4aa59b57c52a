package prom

import (
	"net/http"
	"strconv"
	"strings"
)

// acceptsGzip tells whether a client takes gzip: it says so, by that name or with
// an asterisk, and not with a quality of zero. The name goes before the asterisk,
// and what is not understood is not taken for consent.
func acceptsGzip(h http.Header) bool {
	any := false
	for _, line := range h.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(coding, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"):
				return wanted(parameters)
			case name == "*":
				any = wanted(parameters)
			}
		}
	}
	return any
}

// wanted tells whether the parameters of a coding leave it a quality above zero.
func wanted(parameters string) bool {
	if strings.TrimSpace(parameters) == "" {
		return true
	}
	name, value, _ := strings.Cut(parameters, "=")
	quality, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && quality > 0 && quality <= 1
}
