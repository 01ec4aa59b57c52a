package dash

import (
	"fmt"
	"strings"
)

// What the expressions aggregate by. Labels that an exporter adds for the
// instrumentation scope are not among them, so they never split a series, nor
// break a join.
const (
	byTarget    = "job, instance"
	byTier      = "job, instance, tier"
	byCheck     = "job, instance, check"
	byTierCheck = "job, instance, tier, check"
	byGuard     = "job, instance, guard"
	byBoard     = "job, instance, board"
	byProcessor = "job, instance, board, processor"
)

// Names of series, in legends. A label that is missing leaves nothing behind.
const (
	nodeLegend      = "{{instance}}"
	tierLegend      = "{{tier}} {{instance}}"
	checkLegend     = "{{check}} {{instance}}"
	tierCheckLegend = "{{check}} ({{tier}}) {{instance}}"
	guardLegend     = "{{guard}} {{instance}}"
	boardLegend     = "{{board}} {{instance}}"
	processorLegend = "{{processor}} {{board}} {{instance}}"
)

// sheet writes the panels of one configuration.
type sheet struct {
	config Config
	prefix string // as it is in Prometheus
}

func newSheet(c Config) sheet {
	return sheet{config: c, prefix: prometheusPrefix(c.Prefix)}
}

// onTarget selects what has neither board nor processor: tiers, checks, redundancy
// and guards.
func (s sheet) onTarget(metric string, matchers ...string) string {
	return s.selector(metric, append([]string{`job=~"$job"`, `instance=~"$instance"`}, matchers...))
}

// onBoard selects what boards have.
func (s sheet) onBoard(metric string, matchers ...string) string {
	return s.onTarget(metric, append([]string{`board=~"$board"`}, matchers...)...)
}

// onProcessor selects what processors have.
func (s sheet) onProcessor(metric string, matchers ...string) string {
	return s.onBoard(metric, append([]string{`processor=~"$processor"`}, matchers...)...)
}

func (s sheet) selector(metric string, matchers []string) string {
	if s.config.Selector != "" {
		matchers = append(matchers, s.config.Selector)
	}
	return s.prefix + metric + "{" + strings.Join(matchers, ",") + "}"
}

// worst joins the series that differ in labels which are not asked for.
func worst(by, vector string) string {
	return fmt.Sprintf("max by (%s) (%s)", by, vector)
}

// since is a counter's increase in the window of the rates.
func since(by, counter string) string {
	return fmt.Sprintf("sum by (%s) (increase(%s[$__rate_interval]))", by, counter)
}

// perSecond is a counter's rate.
func perSecond(by, counter string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s[$__rate_interval]))", by, counter)
}

// slope is a gauge's change per second.
func slope(by, gauge string) string {
	return fmt.Sprintf("max by (%s) (deriv(%s[$__rate_interval]))", by, gauge)
}
