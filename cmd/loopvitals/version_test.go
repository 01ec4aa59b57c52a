package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestVersion is one line that a script can split, and nothing for more than was asked.
func TestVersion(t *testing.T) {
	form := regexp.MustCompile(`^loopvitals (\(devel\)|v\d\S*) go1\.\d+\S* \w+/\w+\n$`)
	for _, c := range []struct {
		args           []string
		exit           int
		stdout, stderr string
	}{
		{[]string{"version"}, exitOK, form.String(), `^$`},
		{[]string{"version", "-h"}, exitOK, `^usage: loopvitals version\n`, `^$`},
		{[]string{"version", "now"}, exitUsage, `^$`, `^loopvitals version: argument "now": must not be given\n$`},
		{[]string{"version", "-x"}, exitUsage, `^$`, `^loopvitals version: flag provided but not defined: -x \(-h tells more\)\n$`},
	} {
		var stdout, stderr strings.Builder
		if exit := run(c.args, &stdout, &stderr); exit != c.exit {
			t.Errorf("%q: exit %d, want %d", c.args, exit, c.exit)
		}
		for want, got := range map[string]string{c.stdout: stdout.String(), c.stderr: stderr.String()} {
			if !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%q: %q, want %s", c.args, got, want)
			}
		}
	}
	if exit := run([]string{"version"}, full{}, new(strings.Builder)); exit != exitFailed {
		t.Errorf("with a full disk: exit %d", exit)
	}
}
