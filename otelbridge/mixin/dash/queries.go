package dash

import (
	"strconv"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// graph asks for values over time. Age and status are worth every sample, so
// the step is as short as the screen allows.
func graph(expr, legend string) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().
		Datasource(datasource()).
		EditorMode(prometheus.QueryEditorModeCode).
		Expr(expr).
		LegendFormat(legend).
		Range()
}

// rates asks for values over time that are made from several samples. The least
// step makes Grafana's window four intervals long, whatever the data source is
// set to: behind a push every minute there would be no second sample otherwise.
func (s sheet) rates(expr, legend string) *prometheus.DataqueryBuilder {
	return graph(expr, legend).Interval(s.interval())
}

// latest asks for the values of this moment. A range would show what a process
// said before it died.
func latest(expr, legend string) *prometheus.DataqueryBuilder {
	return graph(expr, legend).Instant()
}

// interval is the configured one as Grafana writes it.
func (s sheet) interval() string {
	d := s.config.Interval
	if d%time.Second == 0 {
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return strconv.Itoa(int(d/time.Millisecond)) + "ms"
}
