package dash_test

import (
	"fmt"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

const gridWidth = 24

// TestGrid wants every panel inside the grid and on no other, and no hole in a
// line.
func TestGrid(t *testing.T) {
	for _, problem := range gridProblems(places(newDashboard(t, dash.Config{}))) {
		t.Error(problem)
	}
}

// TestGridProblemsAreFound breaks the grid in each way.
func TestGridProblemsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		places []place
		want   int
	}{
		"side by side": {[]place{{"a", 0, 0, 12, 8}, {"b", 12, 0, 12, 8}}, 0},
		"overlap":      {[]place{{"a", 0, 0, 12, 8}, {"b", 11, 7, 13, 8}, {"c", 12, 0, 12, 7}, {"d", 0, 8, 11, 7}}, 1},
		"too wide":     {[]place{{"a", 0, 0, 25, 8}}, 1},
		"no height":    {[]place{{"a", 0, 0, 24, 0}}, 1},
		"hole":         {[]place{{"a", 0, 0, 23, 8}}, 1},
	} {
		if got := gridProblems(c.places); len(got) != c.want {
			t.Errorf("%s: %v, want %d problems", name, got, c.want)
		}
	}
}

// place is where a panel is, in columns and lines.
type place struct {
	title      string
	x, y, w, h uint32
}

func places(d dash.Dashboard) []place {
	var all []place
	for _, p := range d.Panels {
		g, title := (*dashboard.GridPos)(nil), ""
		if p.Panel != nil {
			g, title = p.Panel.GridPos, *p.Panel.Title
		} else {
			g, title = p.RowPanel.GridPos, *p.RowPanel.Title
		}
		all = append(all, place{title, g.X, g.Y, g.W, g.H})
	}
	return all
}

func gridProblems(all []place) []string {
	var problems []string
	area, bottom := uint32(0), uint32(0)
	for i, p := range all {
		if p.w == 0 || p.h == 0 || p.x+p.w > gridWidth {
			return []string{fmt.Sprintf("%s: %d wide at column %d, %d high", p.title, p.w, p.x, p.h)}
		}
		for _, q := range all[:i] {
			if p.x < q.x+q.w && q.x < p.x+p.w && p.y < q.y+q.h && q.y < p.y+p.h {
				problems = append(problems, fmt.Sprintf("%s lies on %s", p.title, q.title))
			}
		}
		area += p.w * p.h
		bottom = max(bottom, p.y+p.h)
	}
	if len(problems) == 0 && area != gridWidth*bottom {
		problems = append(problems, fmt.Sprintf("%d of %d cells are empty", gridWidth*bottom-area, gridWidth*bottom))
	}
	return problems
}

// TestPanels wants what a reader needs of each panel.
func TestPanels(t *testing.T) {
	d := newDashboard(t, dash.Config{})
	ids := map[uint32]bool{}
	for _, p := range panelsOf(d) {
		title := *p.Title
		if p.Id == nil || ids[*p.Id] {
			t.Errorf("%s: no identifier of its own", title)
		} else {
			ids[*p.Id] = true
		}
		if p.Description == nil || len(*p.Description) < 20 {
			t.Errorf("%s: no description", title)
		}
		if len(p.Links) == 0 {
			t.Errorf("%s: no link to the runbook", title)
		}
		if p.Datasource == nil || *p.Datasource.Uid != "${datasource}" {
			t.Errorf("%s: not on the data source that was chosen", title)
		}
		if len(p.Targets) == 0 {
			t.Errorf("%s: no query", title)
		}
		letters := map[string]bool{}
		for _, q := range queriesOf(t, p) {
			if q.RefId == nil || letters[*q.RefId] {
				t.Errorf("%s: a query without a letter of its own", title)
			} else {
				letters[*q.RefId] = true
			}
			if q.Datasource == nil || *q.Datasource.Uid != "${datasource}" {
				t.Errorf("%s: a query of another data source", title)
			}
			if q.LegendFormat == nil || *q.LegendFormat == "" && p.Type != "table" {
				t.Errorf("%s: no legend", title)
			}
			if now := p.Type == "stat" || p.Type == "table"; *q.Instant != now || *q.Range == now {
				t.Errorf("%s: a %s asks for the wrong times", title, p.Type)
			}
		}
		shown := p.FieldConfig.Defaults
		if shown.Unit == nil && len(shown.Mappings) == 0 && p.Type != "table" && title != "Unhealthy" && title != "Degraded" {
			t.Errorf("%s: neither a unit nor words", title)
		}
	}
}

// TestRows holds the order of the questions.
func TestRows(t *testing.T) {
	var got []string
	for _, p := range newDashboard(t, dash.Config{}).Panels {
		if p.RowPanel != nil {
			got = append(got, *p.RowPanel.Title)
		}
	}
	want := []string{"Now", "Processors", "Heartbeats", "Progress", "Faults and starts", "Checks", "Redundancy", "Resubscribing", "The library itself"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}
