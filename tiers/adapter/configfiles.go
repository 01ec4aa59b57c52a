package adapter

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// What others may do with a file, by its mode.
const (
	othersAnything fs.FileMode = 0o007
	othersWrite    fs.FileMode = 0o002
	anyoneExecutes fs.FileMode = 0o111
)

// hasModes is false where a file's mode says nothing about who may use it; there
// the access lists of the files are the operator's to look after.
const hasModes = runtime.GOOS != "windows"

// validFiles looks at the files without opening them (A12).
func validFiles(command, tokenFile string) error {
	mode, err := regularFile("command[0]", command)
	switch {
	case err != nil:
		return err
	case hasModes && mode&anyoneExecutes == 0:
		return invalid("command[0]", command, "must be executable, its mode is %04o", mode.Perm())
	case hasModes && mode&othersWrite != 0:
		return invalid("command[0]", command, "must not be writable by others, its mode is %04o", mode.Perm())
	}
	if tokenFile == "" {
		return nil
	}
	if !filepath.IsAbs(tokenFile) {
		return invalid("tokenFile", tokenFile, "must be an absolute path")
	}
	mode, err = regularFile("tokenFile", tokenFile)
	if err == nil && hasModes && mode&othersAnything != 0 {
		return invalid("tokenFile", tokenFile, "must be closed to others, its mode is %04o", mode.Perm())
	}
	return err
}

// regularFile returns the mode of the file at path, of what a link points to.
func regularFile(key, path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, invalid(key, path, "must be a file that is there: %v", cause(err))
	}
	if !info.Mode().IsRegular() {
		return 0, invalid(key, path, "must be a regular file")
	}
	return info.Mode(), nil
}
