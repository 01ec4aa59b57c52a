package dash

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// everything is what All stands for. It also matches a label that is missing,
// such as the board of a board without a name, and keeps a query short that
// would name thousands of processors.
const everything = ".*"

// variables are the choices at the top, each among what the ones before leave.
func (s sheet) variables() []cog.Builder[dashboard.VariableModel] {
	// A program may have one of processors, tiers, redundancy and guards alone.
	targets := func(matchers ...string) string {
		name := fmt.Sprintf(`__name__=~"%[1]sliveness_board_processors|%[1]shealth_tier_checks|%[1]sredundancy_role|%[1]sresubscribe_in_flight"`, s.prefix)
		return s.unprefixed(append([]string{name}, matchers...))
	}
	return []cog.Builder[dashboard.VariableModel]{
		s.datasourceVariable(),
		s.choice("job", "Job", targets()),
		s.choice("instance", "Instance", targets(`job=~"$job"`)),
		s.choice("board", "Board", s.onTarget("liveness_board_processors")),
		s.choice("processor", "Processor", s.onBoard("liveness_processor_starts_total")),
	}
}

// unprefixed selects by the matchers alone.
func (s sheet) unprefixed(matchers []string) string {
	s.prefix = ""
	return s.selector("", matchers)
}

func (s sheet) datasourceVariable() *dashboard.DatasourceVariableBuilder {
	v := dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus")
	if uid := s.config.Datasource; uid != "" {
		v.Current(option(uid, uid))
	}
	return v
}

// choice offers the values of the label that the variable is named for.
func (s sheet) choice(label, title, series string) *dashboard.QueryVariableBuilder {
	query := fmt.Sprintf("label_values(%s, %s)", series, label)
	return dashboard.NewQueryVariableBuilder(label).
		Label(title).
		Datasource(datasource()).
		Query(dashboard.StringOrMap{String: &query}).
		Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(everything).
		Current(option("All", "$__all"))
}

func option(text, value string) dashboard.VariableOption {
	selected := true
	return dashboard.VariableOption{
		Selected: &selected,
		Text:     dashboard.StringOrArrayOfString{String: &text},
		Value:    dashboard.StringOrArrayOfString{String: &value},
	}
}

// datasource is the one that the variable selects.
func datasource() common.DataSourceRef {
	kind, uid := "prometheus", "${datasource}"
	return common.DataSourceRef{Type: &kind, Uid: &uid}
}
