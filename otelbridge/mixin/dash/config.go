package dash

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Config is what one dashboard differs in from another. The zero Config is the
// default dashboard. It is not kept: New reads it once.
type Config struct {
	// Prefix is the one that was given to WithNamePrefix of the exporter, such
	// as "otopcua." (S4.41). Empty is none.
	Prefix string

	// Selector holds label matchers, such as `cluster="eu-1",team=~"a|b"`, that
	// are added to every selector. They must be on labels that targets have, not
	// on those of the metrics themselves. Empty adds nothing.
	Selector string

	// Datasource is the uid of the Prometheus data source that is selected when
	// the dashboard is opened first. Empty is Grafana's default.
	Datasource string

	// Interval is how often new values arrive: the scrape interval, or the
	// interval of the push. Rates look back over four of them. At least 1 s;
	// zero is one minute, the default of Prometheus and of the OpenTelemetry
	// SDK.
	Interval time.Duration

	// RunbookURL is the page that links lead to, with the headings of
	// docs/operations.md. Empty is that file where this repository lives.
	RunbookURL string

	// Title is the dashboard's title. Empty is "Liveness and health", followed
	// by the prefix if there is one.
	Title string

	// UID is the dashboard's identifier, under which an import replaces an
	// older version: at most 40 letters, digits, - and _. Empty is "loopvitals",
	// followed by the prefix if there is one.
	UID string
}

const (
	defaultInterval   = time.Minute
	defaultRunbookURL = "https://github.com/loopvitals/loopvitals/blob/main/docs/operations.md"
	defaultTitle      = "Liveness and health"
	defaultUID        = "loopvitals"

	maxPrefixBytes = 200 // as the exporters have it
	maxUIDBytes    = 40  // as Grafana has it
)

var (
	// prefixForm is that of WithNamePrefix.
	prefixForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-/]*[._]$`)

	selectorForm = regexp.MustCompile("^" + matcher + "(," + matcher + ")*$")

	// ownForm finds a matcher on a label of the metrics. It would match some of
	// them and not others.
	ownForm = regexp.MustCompile(`(^|,)\s*(__name__|board|check|guard|kind|le|level|outcome|peer|processor|reason|role|status|tier)\s*[=!]`)

	uidForm = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// matcher is one condition, with a string in any of PromQL's quotes.
const matcher = `\s*[A-Za-z_][A-Za-z0-9_]*\s*(?:=|!=|=~|!~)\s*` +
	`(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`]*`" + `)\s*`

// withDefaults returns c with every field set, or says which one is wrong.
func (c Config) withDefaults() (Config, error) {
	if len(c.Prefix) > maxPrefixBytes {
		return c, fmt.Errorf("dash: prefix of %d bytes: must be at most %d", len(c.Prefix), maxPrefixBytes)
	}
	if c.Prefix != "" && !prefixForm.MatchString(c.Prefix) {
		return c, fmt.Errorf("dash: prefix %q: must be a letter, then letters, digits and _ . - /, with a dot or an underscore at the end", c.Prefix)
	}
	if c.Selector != "" && !selectorForm.MatchString(c.Selector) {
		return c, fmt.Errorf("dash: selector %q: must be label matchers with quoted values, separated by commas", c.Selector)
	}
	if own := ownForm.FindStringSubmatch(c.Selector); own != nil {
		return c, fmt.Errorf("dash: selector %q: must be on labels of targets, not on %s", c.Selector, own[2])
	}
	switch {
	case c.Interval == 0:
		c.Interval = defaultInterval
	case c.Interval < time.Second:
		return c, fmt.Errorf("dash: interval %v: must be at least 1s, or 0 for %v", c.Interval, defaultInterval)
	}
	if c.RunbookURL == "" {
		c.RunbookURL = defaultRunbookURL
	}
	if err := checkURL(c.RunbookURL); err != nil {
		return c, fmt.Errorf("dash: runbook URL %q: %w", c.RunbookURL, err)
	}
	metrics := strings.TrimSuffix(prometheusPrefix(c.Prefix), "_")
	if c.Title == "" {
		c.Title = defaultTitle
		if metrics != "" {
			c.Title += " (" + metrics + ")"
		}
	}
	if c.UID == "" {
		c.UID = defaultUID
		if metrics != "" {
			c.UID += "-" + metrics
		}
		// A prefix may be longer than an identifier. Cutting keeps it stable,
		// and whoever has two such prefixes can give their own.
		c.UID = c.UID[:min(len(c.UID), maxUIDBytes)]
	}
	if len(c.UID) > maxUIDBytes || !uidForm.MatchString(c.UID) {
		return c, fmt.Errorf("dash: uid %q: must be at most %d letters, digits, - and _", c.UID, maxUIDBytes)
	}
	return c, nil
}

// checkURL wants a link that opens from Grafana, and to which a heading's
// anchor can be added.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("must be a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return errors.New("must begin with http:// or https:// and a host")
	case strings.Contains(text, "#"):
		return errors.New("must have no fragment: links add one")
	}
	return nil
}

// prometheusPrefix is what becomes of a prefix in Prometheus: every run of
// characters that are no letters or digits is one underscore there.
func prometheusPrefix(prefix string) string {
	words := strings.FieldsFunc(prefix, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, "_") + "_"
}
