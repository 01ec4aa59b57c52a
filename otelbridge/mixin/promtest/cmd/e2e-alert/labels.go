package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// labels are some of the labels of an alert.
type labels map[string]string

func named(alert string) labels { return labels{"alertname": alert} }

// with returns the labels with one more.
func (l labels) with(name, value string) labels {
	more := maps.Clone(l)
	more[name] = value
	return more
}

// in says whether an alert has all of them.
func (l labels) in(alert map[string]string) bool {
	for name, value := range l {
		if alert[name] != value {
			return false
		}
	}
	return true
}

// String begins with the name of the alert.
func (l labels) String() string {
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if name != "alertname" {
			rest = append(rest, fmt.Sprintf("%s=%q", name, l[name]))
		}
	}
	return l["alertname"] + "{" + strings.Join(rest, ", ") + "}"
}
