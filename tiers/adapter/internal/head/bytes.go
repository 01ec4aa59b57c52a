package head

// cut returns what is before and after the first sep, or all of data and false.
func cut(data []byte, sep byte) (before, after []byte, found bool) {
	for i, b := range data {
		if b == sep {
			return data[:i], data[i+1:], true
		}
	}
	return data, nil, false
}

// trim removes spaces and tabs at both ends.
func trim(data []byte) []byte {
	for len(data) > 0 && isBlank(data[0]) {
		data = data[1:]
	}
	for len(data) > 0 && isBlank(data[len(data)-1]) {
		data = data[:len(data)-1]
	}
	return data
}

// sameName compares data with a name of lower-case letters and hyphens, whatever
// the case of data. The bit that is set is the one in which the cases differ; a
// hyphen has it already, and the only other byte that becomes a hyphen is CR,
// which no line contains.
func sameName(data []byte, name string) bool {
	if len(data) != len(name) {
		return false
	}
	for i, b := range data {
		if b|0x20 != name[i] {
			return false
		}
	}
	return true
}

// isToken tells whether data is one or more of the characters of which HTTP makes
// methods and field names.
func isToken(data []byte) bool {
	for _, b := range data {
		if !tokenByte[b] {
			return false
		}
	}
	return len(data) > 0
}

// isVisible tells whether data is one or more bytes of visible ASCII.
func isVisible(data []byte) bool {
	for _, b := range data {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return len(data) > 0
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

var tokenByte = func() (is [256]bool) {
	for _, b := range []byte("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		is[b] = true
	}
	return is
}()
