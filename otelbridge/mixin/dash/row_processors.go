package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

func (s sheet) processors() row {
	when := s.timeline(about{
		"Reasons over time", "Why each processor had its status. Shades of red are Unhealthy, of yellow and orange Degraded, the rest Healthy.", "reasons",
	}, reasons).
		Span(24).
		WithTarget(graph(s.reason(), processorLegend))

	return row{"Processors", []cog.Builder[dashboard.Panel]{when, s.worstFirst()}}
}

// column is one query of the table.
type column struct {
	title, expr string
	look        []dashboard.DynamicConfigValue
}

// worstFirst is a table with a line for each processor. Grafana joins the
// queries by their labels.
func (s sheet) worstFirst() *table.PanelBuilder {
	columns := s.columns()
	t := s.list(about{
		"Worst first", "Every processor as it is now, by status and then by reason. A reason links to its entry in the runbook. What is not known is empty, never zero.", "reasons",
	}).
		Span(24).
		SortBy([]cog.Builder[common.TableSortByFieldState]{
			common.NewTableSortByFieldStateBuilder().DisplayName("Status").Desc(true),
			common.NewTableSortByFieldStateBuilder().DisplayName("Reason").Desc(true),
		}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: arrangement(columns)})
	for _, c := range columns {
		t.WithTarget(latest(withBoard(c.expr), "").Format(prometheus.PromQueryFormatTable).RefId(c.title))
		t.OverrideByName(c.title, c.look)
	}
	return t
}

func (s sheet) columns() []column {
	return []column{
		{"Status", s.status(byProcessor, "liveness_processor_status", s.onProcessor), words(statuses)},
		{"Reason", s.reason(), append(words(reasons), s.reasonLink())},
		{"Age", worst(byProcessor, s.onProcessor("liveness_processor_heartbeat_age_seconds")), unit("s")},
		{"Threshold", worst(byProcessor, s.onProcessor("liveness_processor_staleness_threshold_seconds")), unit("s")},
		{"Busy for", worst(byProcessor, s.onProcessor("liveness_processor_busy_age_seconds")), unit("s")},
		{"Lag", worst(byProcessor, s.onProcessor("liveness_processor_lag")), unit("short")},
		{"Faults", worst(byProcessor, s.onProcessor("liveness_processor_faults_total")), unit("short")},
		{"Starts", worst(byProcessor, s.onProcessor("liveness_processor_starts_total")), unit("short")},
		{"Rebuild", worst(byProcessor, s.onProcessor("liveness_processor_rebuilding")), words([]word{{"", grey}, {"rebuild", blue}})},
	}
}

// withBoard gives processors of a board without a name a column for it, too.
// Without one in every query Grafana would join by the other labels alone, and
// mix up processors of one id.
func withBoard(expr string) string {
	return fmt.Sprintf(`label_replace(%s, "board", "-", "board", "")`, expr)
}

// arrangement names the columns and puts them in order.
func arrangement(columns []column) map[string]any {
	names := map[string]string{"processor": "Processor", "board": "Board", "job": "Job", "instance": "Instance"}
	order := map[string]int{"processor": 0}
	for i, c := range columns {
		value := "Value #" + c.title
		names[value] = c.title
		order[value] = i + 1
	}
	for i, label := range []string{"board", "instance", "job"} {
		order[label] = len(columns) + 1 + i
	}
	return map[string]any{
		"excludeByName": map[string]bool{"Time": true},
		"renameByName":  names,
		"indexByName":   order,
	}
}

// words are the properties of a column that shows numbers as words.
func words(list []word) []dashboard.DynamicConfigValue {
	return []dashboard.DynamicConfigValue{
		{Id: "mappings", Value: mapping(list)},
		{Id: "custom.cellOptions", Value: map[string]string{"type": string(common.TableCellDisplayModeColorText)}},
	}
}

func unit(name string) []dashboard.DynamicConfigValue {
	return []dashboard.DynamicConfigValue{{Id: "unit", Value: name}}
}

// reasonLink opens the runbook at the reason in the cell.
func (s sheet) reasonLink() dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "links", Value: []map[string]any{{
		"title":       "Runbook: ${__value.text}",
		"url":         s.config.RunbookURL + "#${__value.text}",
		"targetBlank": true,
	}}}
}
