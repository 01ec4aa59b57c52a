package dash

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// about is what every panel has: a title, what it shows, and the heading of the
// runbook that explains it.
type about struct {
	title, description, heading string
}

// figure shows the newest values as large as they fit.
func (s sheet) figure(a about) *stat.PanelBuilder {
	return stat.NewPanelBuilder().
		Title(a.title).Description(a.description).Links(s.links(a)).
		Datasource(datasource()).
		Height(5).
		ColorMode(common.BigValueColorModeBackground).
		GraphMode(common.BigValueGraphModeNone).
		Orientation(common.VizOrientationAuto).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		NoValue("no data")
}

// lines shows values over time.
func (s sheet) lines(a about) *timeseries.PanelBuilder {
	return timeseries.NewPanelBuilder().
		Title(a.title).Description(a.description).Links(s.links(a)).
		Datasource(datasource()).
		Height(8).
		LineWidth(1).
		FillOpacity(5).
		ShowPoints(common.VisibilityModeAuto).
		Legend(common.NewVizLegendOptionsBuilder().
			ShowLegend(true).
			DisplayMode(common.LegendDisplayModeList).
			Placement(common.LegendPlacementBottom)).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).
			Sort(common.SortOrderDescending))
}

// bars shows what was counted in each step.
func (s sheet) bars(a about) *timeseries.PanelBuilder {
	return s.lines(a).
		DrawStyle(common.GraphDrawStyleBars).
		FillOpacity(60).
		Unit("short").
		Min(0)
}

// timeline shows which word held when, one line a series.
func (s sheet) timeline(a about, words []word) *statetimeline.PanelBuilder {
	return statetimeline.NewPanelBuilder().
		Title(a.title).Description(a.description).Links(s.links(a)).
		Datasource(datasource()).
		Height(9).
		FillOpacity(80).
		RowHeight(0.85).
		MergeValues(true).
		ShowValue(common.VisibilityModeAuto).
		ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds)).
		Mappings(mapping(words)).
		Legend(common.NewVizLegendOptionsBuilder().
			ShowLegend(true).
			DisplayMode(common.LegendDisplayModeList).
			Placement(common.LegendPlacementBottom))
}

// list shows the newest values in columns.
func (s sheet) list(a about) *table.PanelBuilder {
	return table.NewPanelBuilder().
		Title(a.title).Description(a.description).Links(s.links(a)).
		Datasource(datasource()).
		Height(10).
		Filterable(true).
		ShowHeader(true).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{}))
}

func (s sheet) links(a about) []cog.Builder[dashboard.DashboardLink] {
	return []cog.Builder[dashboard.DashboardLink]{s.runbook("Runbook: "+a.title, a.heading)}
}

// runbook links to a heading, which is given as its anchor.
func (s sheet) runbook(title, anchor string) link {
	address := s.config.RunbookURL
	if anchor != "" {
		address += "#" + anchor
	}
	return link{title: title, address: address}
}

// link is a link that is seen. Those of the SDK's builder hide in a menu.
type link struct{ title, address string }

func (l link) Build() (dashboard.DashboardLink, error) {
	d := dashboard.NewDashboardLink()
	d.Title = l.title
	d.Type = dashboard.DashboardLinkTypeLink
	d.Icon = "doc"
	d.Tooltip = "What this means, and what to do"
	d.Url = &l.address
	d.TargetBlank = true
	d.Placement = nil
	return *d, nil
}

// steps are the values from which on a colour holds. base holds below them.
func steps(base string, from ...dashboard.Threshold) *dashboard.ThresholdsConfigBuilder {
	return dashboard.NewThresholdsConfigBuilder().
		Mode(dashboard.ThresholdsModeAbsolute).
		Steps(append([]dashboard.Threshold{{Color: base}}, from...))
}

func at(value float64, colour string) dashboard.Threshold {
	return dashboard.Threshold{Value: &value, Color: colour}
}

// thresholdLines draws the thresholds into the graph.
func thresholdLines() *common.GraphThresholdsStyleConfigBuilder {
	return common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed)
}
