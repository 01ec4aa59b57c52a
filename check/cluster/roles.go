package cluster

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

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
