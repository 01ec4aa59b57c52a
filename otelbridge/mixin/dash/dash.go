package dash

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// Dashboard is the classic dashboard model of the Grafana Foundation SDK.
//
//lint:ignore SA1019 The model that is to follow it can be imported by the newest Grafana only.
type Dashboard = dashboard.Dashboard

// New builds the dashboard (S4.42). The error names the field of c that is
// wrong. It may be called from several goroutines.
func New(c Config) (Dashboard, error) {
	c, err := c.withDefaults()
	if err != nil {
		return Dashboard{}, err
	}
	s := newSheet(c)
	//lint:ignore SA1019 See Dashboard.
	b := dashboard.NewDashboardBuilder(c.Title).
		Uid(c.UID).
		Description("Whether every loop lives, from the metrics of loopvitals.").
		Tags([]string{"loopvitals", "liveness", "health"}).
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Time("now-1h", "now").
		Refresh("30s").
		Link(s.runbook("Runbook", ""))
	for _, v := range s.variables() {
		b.WithVariable(v)
	}
	for _, r := range s.rows() {
		b.WithRow(dashboard.NewRowBuilder(r.title))
		for _, p := range r.panels {
			b.WithPanel(p)
		}
	}
	d, err := b.Build()
	if err != nil {
		return Dashboard{}, fmt.Errorf("dash: %w", err)
	}
	number(d.Panels)
	return d, nil
}

// Write builds the dashboard and writes it as indented JSON, as Grafana's
// import takes it.
func Write(w io.Writer, c Config) error {
	d, err := New(c)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("dash: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("dash: %w", err)
	}
	return nil
}

// row is a heading and the panels below it, from left to right.
type row struct {
	title  string
	panels []cog.Builder[dashboard.Panel]
}

// rows are in the order of the questions: is anything wrong, what, since when,
// why, and can this page be trusted.
func (s sheet) rows() []row {
	return []row{
		s.now(), s.processors(), s.heartbeats(), s.progress(), s.faults(), s.checks(), s.redundancy(),
		s.resubscribe(), s.itself(),
	}
}

// number gives each panel its place as its identifier, so that a link to one
// panel holds as long as the order does, and each query a letter.
func number(panels []dashboard.PanelOrRowPanel) {
	for i := range panels {
		id := uint32(i + 1)
		p := panels[i].Panel
		if p == nil {
			panels[i].RowPanel.Id = id
			continue
		}
		p.Id = &id
		for j, target := range p.Targets {
			if q, ok := target.(prometheus.Dataquery); ok && q.RefId == nil {
				letter := string(rune('A' + j))
				q.RefId = &letter
				p.Targets[j] = q
			}
		}
	}
}
