package node

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	at := func(n int) string { return strings.Repeat("x", n) }
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		want string // of the error; empty is none
	}{
		"least":               {at(16), 0o600, ""},
		"most":                {at(4096), 0o600, ""},
		"most with line feed": {at(4096) + "\n", 0o600, ""},
		"every character":     {"!\"#$%&'()*+,-./0123456789:;<=>?@A[\\]^_`a{|}~", 0o600, ""},
		"of the group":        {at(16), 0o640, ""},
		"writable by group":   {at(16), 0o660, ""},
		"too short":           {at(15), 0o600, "must be of 16 to 4096 bytes"},
		"short with its end":  {at(15) + "\n", 0o600, "must be of 16 to 4096 bytes"},
		"too long":            {at(4097), 0o600, "must be of 16 to 4096 bytes"},
		"much too long":       {at(1 << 20), 0o600, "must be of 16 to 4096 bytes"},
		"empty":               {"", 0o600, "must be of 16 to 4096 bytes"},
		"two line feeds":      {at(16) + "\n\n", 0o600, "must be printable ASCII without spaces"},
		"carriage return":     {at(16) + "\r\n", 0o600, "must be printable ASCII without spaces"},
		"space":               {at(16) + " ", 0o600, "must be printable ASCII without spaces"},
		"header injection":    {at(16) + "\r\nX: y", 0o600, "must be printable ASCII without spaces"},
		"DEL":                 {at(16) + "\x7f", 0o600, "must be printable ASCII without spaces"},
		"not ASCII":           {at(16) + "é", 0o600, "must be printable ASCII without spaces"},
		"zero":                {at(16) + "\x00", 0o600, "must be printable ASCII without spaces"},
		"readable by others":  {at(16), 0o604, "mode 0604: must give others nothing"},
		"writable by others":  {at(16), 0o602, "mode 0602: must give others nothing"},
		"others may enter":    {at(16), 0o601, "mode 0601: must give others nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			must(t, os.WriteFile(path, []byte(tt.text), 0o600))
			must(t, os.Chmod(path, tt.mode))
			token, err := readToken(path)
			switch {
			case tt.want == "":
				if err != nil || string(token) != strings.TrimSuffix(tt.text, "\n") {
					t.Errorf("%q, %v", token, err)
				}
			case err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "node: token file "):
				t.Errorf("want %s, got %v", tt.want, err)
			case strings.Contains(err.Error(), "xx") || strings.ContainsAny(err.Error(), "\r\n"):
				t.Errorf("the error tells the token: %v", err)
			}
		})
	}
}

func TestTokenFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"":                         "no such file or directory",
		filepath.Join(dir, "none"): "no such file or directory",
		dir:                        "must be a regular file",
		os.DevNull:                 "must be a regular file",
	} {
		if _, err := readToken(path); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: want %s, got %v", path, want, err)
		}
	}
}

func TestSameToken(t *testing.T) {
	for other, same := range map[string]bool{
		secret: true, "": false, secret + "x": false, secret[1:]: false, strings.ToUpper(secret): false, secret + "\x00": false,
	} {
		if sameToken([]byte(secret), []byte(other)) != same {
			t.Errorf("%q: %v", other, !same)
		}
	}
	// Enough of them that a comparison of less than the whole would let one pass.
	for i := range 5000 {
		if sameToken([]byte(secret), []byte(secret+strconv.Itoa(i))) {
			t.Errorf("%d passes", i)
		}
	}
}
