package mixin

// records are the values that dashboards show for many processors at once and
// that are dear or awkward to compute each time. Names are level:metric:operation;
// the level processor is job, instance, board and processor.
func (m *maker) records() Group {
	record := func(name, expr string) Rule { return Rule{Record: name, Expr: m.expr(expr)} }
	return Group{Name: "loopvitals-records", Rules: []Rule{
		record("job:"+m.prefix+"liveness_board_processors:sum",
			`sum by (job, status) (${liveness_board_processors})`),
		record("processor:"+m.prefix+"liveness_processor_heartbeats:rate5m",
			`sum by (${processor}) (rate(${liveness_processor_heartbeats_total}[5m]))`),
		// In seconds: the lag over the speed at which it shrinks, 0 when caught
		// up, and nothing while it does not shrink.
		record("processor:"+m.prefix+"liveness_processor_lag:catch_up_seconds5m", `
max by (${processor}) (${liveness_processor_lag}) == 0
or
max by (${processor}) (${liveness_processor_lag})
/ (max by (${processor}) (-deriv(${liveness_processor_lag}[5m])) > 0)`),
	}}
}
