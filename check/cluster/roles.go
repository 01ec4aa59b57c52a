package cluster

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseRoles returns the roles in a text such as "admin, driver", as an environment
// variable has them: between commas, with or without white space around (S4.38). An
// empty or blank text is no roles. The error is that of ValidateRoles; it also refuses
// two commas in a row and one at either end, since a role may be missing there.
func ParseRoles(s string) ([]string, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	roles := strings.Split(s, ",")
	for i := range roles {
		roles[i] = strings.TrimSpace(roles[i])
	}
	if err := ValidateRoles(roles); err != nil {
		return nil, err
	}
	return roles, nil
}

// ValidateRoles tests the roles of a node, or a preference among them: each must
// be valid UTF-8 that shows on a screen, without white space, and not be there
// twice. No roles at all are fine. The error names the role and its position,
// counted from 0.
func ValidateRoles(roles []string) error {
	for i, role := range roles {
		if bound := roleBound(role); bound != "" {
			return fmt.Errorf("cluster: role %d %q: %s", i, role, bound)
		}
		if first := slices.Index(roles, role); first < i {
			return fmt.Errorf("cluster: role %d %q: must not repeat role %d", i, role, first)
		}
	}
	return nil
}

// roleBound says which bound the role breaks, or nothing.
func roleBound(role string) string {
	if role == "" {
		return "must not be empty"
	}
	if !utf8.ValidString(role) {
		return "must be valid UTF-8"
	}
	for _, r := range role {
		if unicode.IsSpace(r) {
			return "must not contain white space"
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("must not contain %U, a control, format or separator character", r)
		}
	}
	return ""
}
