package cluster_test

import (
	"slices"
	"testing"

	"github.com/loopvitals/loopvitals/check/cluster"
)

func TestValidateRoles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		roles []string
		want  string
	}{
		{"none", nil, ""},
		{"some", []string{"admin", "driver", "größe-1"}, ""},
		{"letters count", []string{"admin", "Admin"}, ""},
		{"empty", []string{"admin", ""}, `cluster: role 1 "": must not be empty`},
		{"blank", []string{" "}, `cluster: role 0 " ": must not contain white space`},
		{"blank inside", []string{"ad min"}, `cluster: role 0 "ad min": must not contain white space`},
		{"blank at the end", []string{"admin "}, `cluster: role 0 "admin ": must not contain white space`},
		{"a blank that looks like none", []string{"admin\u00a0"}, `cluster: role 0 "admin\u00a0": must not contain white space`},
		{"control character", []string{"ad\x00min"}, `cluster: role 0 "ad\x00min": must not contain U+0000, a control, format or separator character`},
		{"format character", []string{"ad\u200bmin"}, `cluster: role 0 "ad\u200bmin": must not contain U+200B, a control, format or separator character`},
		{"not text", []string{"\xff"}, `cluster: role 0 "\xff": must be valid UTF-8`},
		{"repeat", []string{"admin", "driver", "admin"}, `cluster: role 2 "admin": must not repeat role 0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := cluster.ValidateRoles(tt.roles); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestParseRoles is the table of what an environment variable may hold (S4.38).
func TestParseRoles(t *testing.T) {
	for text, c := range map[string]struct {
		want []string
		err  string
	}{
		"":                      {nil, ""},
		" \t\n":                 {nil, ""},
		"driver":                {[]string{"driver"}, ""},
		"admin,driver":          {[]string{"admin", "driver"}, ""},
		"driver,admin":          {[]string{"driver", "admin"}, ""},
		"  admin ,\tdriver\r\n": {[]string{"admin", "driver"}, ""},
		"größe-1":               {[]string{"größe-1"}, ""},
		",":                     {nil, `cluster: role 0 "": must not be empty`},
		"admin,,driver":         {nil, `cluster: role 1 "": must not be empty`},
		"admin, ,driver":        {nil, `cluster: role 1 "": must not be empty`},
		"admin,":                {nil, `cluster: role 1 "": must not be empty`},
		",admin":                {nil, `cluster: role 0 "": must not be empty`},
		"admin driver":          {nil, `cluster: role 0 "admin driver": must not contain white space`},
		"admin,driver,admin":    {nil, `cluster: role 2 "admin": must not repeat role 0`},
		"admin, \xff":           {nil, `cluster: role 1 "\xff": must be valid UTF-8`},
		"ad\x00min":             {nil, `cluster: role 0 "ad\x00min": must not contain U+0000, a control, format or separator character`},
	} {
		got, err := cluster.ParseRoles(text)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !slices.Equal(got, c.want) || said != c.err {
			t.Errorf("%q: %q, %s; want %q, %s", text, got, said, c.want, c.err)
		}
	}
}
