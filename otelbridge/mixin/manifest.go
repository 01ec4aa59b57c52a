package mixin

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Manifest is what a PrometheusRule of the Prometheus operator needs beside its
// rules.
type Manifest struct {
	// Name of the object, as Kubernetes allows it. Zero: loopvitals.
	Name string
	// Namespace of the object. Zero: none, so that of whoever applies it.
	Namespace string
	// Labels of the object: those by which a Prometheus selects its rules, often
	// release or prometheus. Nil: none.
	Labels map[string]string
}

// WriteManifest writes the rules as a PrometheusRule for Kubernetes, of API
// version monitoring.coreos.com/v1. The same rules give the same bytes. It
// returns an error if Kubernetes would refuse the name, the namespace or a label.
func (r *Rules) WriteManifest(w io.Writer, m Manifest) error {
	if m.Name == "" {
		m.Name = "loopvitals"
	}
	if err := m.validate(); err != nil {
		return err
	}
	y := &yamlWriter{w: bufio.NewWriter(w)}
	y.header(r)
	y.line(0, "apiVersion: monitoring.coreos.com/v1")
	y.line(0, "kind: PrometheusRule")
	y.line(0, "metadata:")
	y.text(2, "name", m.Name)
	if m.Namespace != "" {
		y.text(2, "namespace", m.Namespace)
	}
	y.texts(2, "labels", m.Labels)
	y.line(0, "spec:")
	y.groups(2, r.Groups)
	return y.w.Flush()
}

// The forms that Kubernetes accepts.
var (
	namespaceForm  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	labelForm      = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)
	maxObjectBytes = 253
)

// isObjectName tells whether every part between dots is a name, and the whole
// short enough.
func isObjectName(name string) bool {
	if len(name) > maxObjectBytes {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if !namespaceForm.MatchString(part) {
			return false
		}
	}
	return true
}

// isLabelKey tells whether key is a name, possibly with a domain before a slash.
func isLabelKey(key string) bool {
	domain, name, found := strings.Cut(key, "/")
	if !found {
		return labelForm.MatchString(key)
	}
	return isObjectName(domain) && labelForm.MatchString(name)
}

func (m *Manifest) validate() error {
	if !isObjectName(m.Name) {
		return fmt.Errorf("mixin: Name %q: must be up to 253 lower-case letters, digits, - and ., as Kubernetes has it", m.Name)
	}
	if m.Namespace != "" && !namespaceForm.MatchString(m.Namespace) {
		return fmt.Errorf("mixin: Namespace %q: must be up to 63 lower-case letters, digits and -, as Kubernetes has it", m.Namespace)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		if !isLabelKey(key) {
			return fmt.Errorf("mixin: Labels key %q: must be a label key of Kubernetes", key)
		}
		if v := m.Labels[key]; v != "" && !labelForm.MatchString(v) {
			return fmt.Errorf("mixin: Labels %s %q: must be up to 63 letters, digits, _, - and ., as Kubernetes has it", key, v)
		}
	}
	return nil
}
