package mixin

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// WriteYAML writes the rules as a rule file of Prometheus. The same rules give
// the same bytes.
func (r *Rules) WriteYAML(w io.Writer) error {
	y := &yamlWriter{w: bufio.NewWriter(w)}
	y.header(r)
	y.groups(0, r.Groups)
	return y.w.Flush()
}

// yamlWriter writes the little YAML that rules need: mappings and lists in
// block style, strings in double quotes, expressions as literal blocks. Its
// writer keeps the first error.
type yamlWriter struct{ w *bufio.Writer }

// line writes one line.
func (y *yamlWriter) line(indent int, text string) {
	for range indent {
		_ = y.w.WriteByte(' ')
	}
	_, _ = y.w.WriteString(text)
	_ = y.w.WriteByte('\n')
}

// text writes a key with a string. What Go escapes in a quoted string YAML
// reads the same way.
func (y *yamlWriter) text(indent int, key, value string) {
	y.line(indent, key+": "+strconv.Quote(strings.ToValidUTF8(value, "\uFFFD")))
}

// block writes a key with a literal block.
func (y *yamlWriter) block(indent int, key, value string) {
	y.line(indent, key+": |-")
	for line := range strings.SplitSeq(value, "\n") {
		y.line(indent+2, line)
	}
}

// texts writes a key with a mapping, in the order of its keys; nothing for none.
func (y *yamlWriter) texts(indent int, key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	y.line(indent, key+":")
	for _, k := range slices.Sorted(maps.Keys(values)) {
		y.text(indent+2, quotedKey(k), values[k])
	}
}

// quotedKey leaves words as they are, and quotes what YAML could take for
// something else.
func quotedKey(key string) string {
	for _, r := range key {
		if (r < 'a' || r > 'z') && r != '_' {
			return strconv.Quote(key)
		}
	}
	switch key {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return strconv.Quote(key)
	}
	return key
}

// header says where the file comes from, and what is not in it.
func (y *yamlWriter) header(r *Rules) {
	y.line(0, "# Made by: loopvitals rules. Make it anew with other flags rather than edit it.")
	for _, alert := range slices.Sorted(maps.Keys(r.Omitted)) {
		y.line(0, "# "+alert+" is left out: "+r.Omitted[alert]+".")
	}
}

func (y *yamlWriter) groups(indent int, groups []Group) {
	y.line(indent, "groups:")
	for _, g := range groups {
		y.text(indent+2, "- name", g.Name)
		y.line(indent+4, "rules:")
		for _, r := range g.Rules {
			y.rule(indent+6, r)
		}
	}
}

func (y *yamlWriter) rule(indent int, r Rule) {
	if r.Record != "" {
		y.text(indent, "- record", r.Record)
	} else {
		y.text(indent, "- alert", r.Alert)
	}
	y.block(indent+2, "expr", r.Expr)
	if r.For > 0 {
		y.line(indent+2, "for: "+duration(r.For))
	}
	y.texts(indent+2, "labels", r.Labels)
	y.texts(indent+2, "annotations", r.Annotations)
}
