package head

// scanner cuts a head into lines.
type scanner struct {
	data []byte
	at   int // where the next line starts
}

// line returns the next line without its CR LF, and OK. It refuses a control
// byte as soon as it is there, since a client that ends lines with LF alone waits
// for an answer and would never send a CR.
func (s *scanner) line() ([]byte, Status) {
	start, end := s.at, min(len(s.data), MaxBytes)
	for i := start; i < end; i++ {
		b := s.data[i]
		switch {
		case b == '\r' && i+1 == end:
			return nil, s.unfinished()
		case b == '\r' && s.data[i+1] == '\n':
			s.at = i + 2
			return s.data[start:i], OK
		case b < ' ' && b != '\t', b == 0x7f:
			return nil, Malformed
		}
	}
	return nil, s.unfinished()
}

// unfinished is the verdict when the bytes end inside a line.
func (s *scanner) unfinished() Status {
	if len(s.data) >= MaxBytes {
		return TooLarge
	}
	return More
}

// another tells whether something other than the end of the head has begun.
func (s *scanner) another() bool {
	return s.at < len(s.data) && s.data[s.at] != '\r'
}
