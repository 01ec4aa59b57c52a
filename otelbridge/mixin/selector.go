package mixin

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// matcher is one condition on a label.
type matcher struct{ label, op, value string }

func (m matcher) String() string { return m.label + m.op + strconv.Quote(m.value) }

// matcherForm is one matcher at the start of a text: label, operator, and a
// string in double, single or back quotes, followed by a comma or the end.
var matcherForm = regexp.MustCompile("^\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*(=~|!~|!=|=)\\s*" +
	"(\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'|`[^`]*`)\\s*(?:,|$)")

// ownLabels are those of the metrics themselves. A selector that names one
// would match some metrics and not others, and up never.
var ownLabels = []string{
	"__name__", "board", "check", "kind", "le", "otel_metric_overflow", "outcome", "processor", "reason", "status", "tier",
	"level", "peer", "guard",
}

// roleLabel is one that targets may have, too, and up may be chosen by it. Every
// metric cannot: a target's role takes the place of the one that
// redundancy_role tells of, and the alerts on roles would never fire.
const roleLabel = "role"

// parseMatchers reads label matchers as they stand between the braces of
// PromQL. It refuses what Prometheus would refuse, so that a rule file is never
// broken by its selector.
func parseMatchers(field, text string) ([]matcher, error) {
	var found []matcher
	for rest := text; strings.TrimSpace(rest) != ""; {
		parts := matcherForm.FindStringSubmatch(rest)
		if parts == nil {
			return nil, fmt.Errorf(`mixin: %s %q: must be label matchers such as job="orders",cluster=~"eu-.+"`, field, text)
		}
		rest = rest[len(parts[0]):]
		value, err := unquote(parts[3])
		if err != nil {
			return nil, fmt.Errorf("mixin: %s %q: must have strings that PromQL can read, not %s", field, text, parts[3])
		}
		m := matcher{parts[1], parts[2], value}
		if slices.Contains(ownLabels, m.label) || m.label == roleLabel && field == "Selector" {
			return nil, fmt.Errorf("mixin: %s %q: must be on labels of targets, not on %s", field, text, m.label)
		}
		if strings.HasSuffix(m.op, "~") {
			if _, err := regexp.Compile("^(?s:" + m.value + ")$"); err != nil {
				return nil, fmt.Errorf("mixin: %s %q: must have valid regular expressions, not %q", field, text, m.value)
			}
		}
		found = append(found, m)
	}
	return found, nil
}

// unquote is strconv.Unquote for PromQL, where single quotes hold strings too.
func unquote(quoted string) (string, error) {
	if quoted[0] != '\'' {
		return strconv.Unquote(quoted)
	}
	inner := quoted[1 : len(quoted)-1]
	inner = strings.ReplaceAll(inner, `\'`, `'`)
	return strconv.Unquote(`"` + strings.ReplaceAll(inner, `"`, `\"`) + `"`)
}

// jobOf returns the job that the matchers name, or "".
func jobOf(matchers []matcher) string {
	for _, m := range matchers {
		if m.label == "job" && m.op == "=" {
			return m.value
		}
	}
	return ""
}
