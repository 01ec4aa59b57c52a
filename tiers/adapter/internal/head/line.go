package head

// requestLine is a well-formed first line.
type requestLine struct {
	method, target []byte
	version        string // "1.1", and "" for one that is no version of interest
}

// parseRequestLine cuts "method target HTTP/n.n" at single spaces. A target is
// any run of visible ASCII: whether it exists is asked later, so that "*", an
// absolute URI and a path with a query are unknown rather than malformed.
func parseRequestLine(line []byte) (requestLine, bool) {
	method, rest, ok := cut(line, ' ')
	if !ok || !isToken(method) {
		return requestLine{}, false
	}
	target, version, ok := cut(rest, ' ')
	if !ok || !isVisible(target) {
		return requestLine{}, false
	}
	if len(version) != len("HTTP/1.1") || !hasPrefix(version, "HTTP/") ||
		!isDigit(version[5]) || version[6] != '.' || !isDigit(version[7]) {
		return requestLine{}, false
	}
	l := requestLine{method: method, target: target}
	switch string(version[5:]) {
	case "1.0":
		l.version = "1.0"
	case "1.1":
		l.version = "1.1"
	}
	return l, true
}

// parseField cuts "name: value". A name is a token that ends at the colon, so a
// space before the colon, a line without one and a folded line are refused. The
// value is what remains without the spaces and tabs around it; bytes above 0x7f
// are allowed there, as HTTP does, since no value but two is looked at.
func parseField(line []byte) (name, value []byte, ok bool) {
	name, value, ok = cut(line, ':')
	return name, trim(value), ok && isToken(name)
}

// refused tells whether a field asks for what this grammar does not have: a
// body, a pause before one, or another protocol.
func refused(name, value []byte) bool {
	switch {
	case sameName(name, "content-length"), sameName(name, "transfer-encoding"),
		sameName(name, "expect"), sameName(name, "upgrade"):
		return true
	case sameName(name, "connection"):
		return lists(value, "upgrade")
	}
	return false
}

// lists tells whether option is an element of the comma-separated value.
func lists(value []byte, option string) bool {
	for more := true; more; {
		var element []byte
		element, value, more = cut(value, ',')
		if sameName(trim(element), option) {
			return true
		}
	}
	return false
}
