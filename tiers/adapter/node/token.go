package node

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
)

// Bounds of a token, in bytes.
const (
	minToken = 16
	maxToken = 4096
)

// readToken reads a token from a file: printable ASCII without spaces, of 16 to
// 4096 bytes, and a line feed that does not count. The file is a regular one that
// others than its owner and group cannot read, write or execute. An error names
// the file and never what is in it.
func readToken(path string) ([]byte, error) {
	token, err := tokenIn(path)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", errToken, path, err)
	}
	return token, nil
}

// errToken begins the error of a token file.
var errToken = errors.New("node: token file")

func tokenIn(path string) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, reason(err)
	}
	defer file.Close()
	if err := privateFile(file); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxToken+2))
	if err != nil {
		return nil, reason(err)
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	if len(text) < minToken || len(text) > maxToken {
		return nil, fmt.Errorf("token: must be of %d to %d bytes", minToken, maxToken)
	}
	for _, b := range text {
		if b <= ' ' || b > '~' {
			return nil, errors.New("token: must be printable ASCII without spaces")
		}
	}
	return text, nil
}

// privateFile tells whether what is open can keep a secret.
func privateFile(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return reason(err)
	}
	if !info.Mode().IsRegular() {
		return errors.New("must be a regular file")
	}
	if mode := info.Mode().Perm(); hasModes && mode&0o007 != 0 {
		return fmt.Errorf("mode %#o: must give others nothing, such as 0600", mode)
	}
	return nil
}

// sameToken compares digests, so that neither the time it takes nor the length
// tells anything (R26).
func sameToken(a, b []byte) bool {
	x, y := sha256.Sum256(a), sha256.Sum256(b)
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
