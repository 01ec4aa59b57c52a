package main

import (
	"fmt"
	"time"
)

// script is the story. Each step says what it expects, and the stage checks it.
func (a *app) script(live *liveWatch) []step {
	bound := a.policy.StaleAfter
	if bound == 0 {
		bound = 5 * time.Second // the library's default for this interval
	}
	longer := bound + bound/5
	allWork := works(ordersKey, billingKey, auditKey)
	var beforeOutage uint64
	return []step{{
		"Everything is healthy",
		fmt.Sprintf("%d orders a second come in. The entry `processors` stands for all loops, and lists each of them.", time.Second/a.orderEvery),
		func(s *stage) error {
			if err := s.see(readyPath, ok(), entry("database", "Healthy"), entry("nats", "Healthy"), entry("processors", "Healthy"), allWork); err != nil {
				return err
			}
			return s.see(activePath, ok(), entry("lease", "Healthy"))
		},
	}, {
		"A handler of `orders` hangs",
		"It ignores its context, so no timeout gets it out. At first nobody can tell a hang from work: one unit\n" +
			fmt.Sprintf("of work may take %v, and until then ready stays 200.", bound),
		func(s *stage) error {
			if err := s.post("/demo/wedge?processor=" + ordersKey); err != nil {
				return err
			}
			return s.see(readyPath, ok(), busyFor(ordersKey, bound/5))
		},
	}, {
		"Ready turns 503, and says who hangs and for how long",
		"Everything else goes on: the other loops, the database, the HTTP server. A check of the process alone would\n" +
			"see nothing, and neither would one of the lag: a loop that hangs reports none, so the last one stays.",
		func(s *stage) error {
			if err := s.see(readyPath, unavailable(), entry("processors", "Unhealthy"), says("processors", "'orders' has been busy for"),
				reason(ordersKey, "stuck"), busyFor(ordersKey, bound), works(billingKey, auditKey),
				entry("database", "Healthy"), entry("nats", "Healthy")); err != nil {
				return err
			}
			// The same verdict, for Prometheus.
			return s.scrape(`liveness_processor_status{processor="orders",status="unhealthy"} 1`,
				`liveness_processor_reason{processor="orders",reason="stuck"} 1`,
				`liveness_board_processors{status="healthy"} 2`)
		},
	}, {
		"The handler is released, and ready recovers",
		"One report of the loop is enough. What piled up meanwhile is worked off.",
		func(s *stage) error {
			if err := s.post("/demo/release?processor=" + ordersKey); err != nil {
				return err
			}
			return s.see(readyPath, ok(), entry("processors", "Healthy"), allWork, lagBelow(ordersKey, 10))
		},
	}, {
		"A worker of `billing` panics",
		"The run helper makes a fault of the panic, so the program lives. A fault stays until a restart: the other\n" +
			"worker cannot cover it up. The answer names the worker; what it panicked with goes to the log only.",
		func(s *stage) error {
			if err := s.post("/demo/fault?processor=" + billingKey); err != nil {
				return err
			}
			return s.see(readyPath, unavailable(), entry("processors", "Unhealthy"), says("processors", "'billing' worker"),
				reason(billingKey, "faulted"), works(ordersKey, auditKey))
		},
	}, {
		"The supervisor restarts `billing`",
		"Reporter.Restart begins a new incarnation. The count of faults stays.",
		func(s *stage) error {
			if err := s.post("/demo/restart?processor=" + billingKey); err != nil {
				return err
			}
			return s.see(readyPath, ok(), entry("processors", "Healthy"), allWork, faultsOf(billingKey, 1))
		},
	}, {
		"The lease of `audit` moves to another replica",
		"Here `audit` is on standby now, and beats no more. That is healthy for as long as it lasts, so ready stays\n" +
			"200 and nothing alarms. Active turns 503: requests for the acting replica belong to the other one.",
		func(s *stage) error {
			if err := s.post("/demo/standby?processor=" + auditKey); err != nil {
				return err
			}
			if err := s.see(activePath, unavailable(), entry("lease", "Unhealthy")); err != nil {
				return err
			}
			if err := s.refused("/accounts"); err != nil {
				return err
			}
			return s.keep(longer, readyPath, ok(), entry("processors", "Healthy"), reason(auditKey, "standby"), works(ordersKey, billingKey))
		},
	}, {
		"The lease comes back",
		"The other replica hands it over, and `audit` goes on where that one stopped.",
		func(s *stage) error {
			if err := s.post("/demo/resume?processor=" + auditKey); err != nil {
				return err
			}
			if err := s.see(activePath, ok(), entry("lease", "Healthy")); err != nil {
				return err
			}
			return s.see(readyPath, ok(), allWork, lagBelow(auditKey, 10))
		},
	}, {
		"The database goes away",
		"Its directory is moved, so connecting fails for real. Ready names the database.",
		func(s *stage) error {
			beforeOutage = a.publisher.placed.Load()
			if err := s.post("/demo/db-down"); err != nil {
				return err
			}
			return s.see(readyPath, unavailable(), entry("database", "Unhealthy"), entry("processors", "Healthy"), allWork)
		},
	}, {
		"The database stays away, and no loop is blamed for it",
		"`orders` cannot store anything and its lag grows, but it goes round: each order comes back until it is stored.",
		func(s *stage) error {
			return s.keep(longer, readyPath, unavailable(), entry("database", "Unhealthy"), entry("processors", "Healthy"), allWork)
		},
	}, {
		"The database comes back",
		"Ready recovers by itself, and the orders of the outage are stored.",
		func(s *stage) error {
			if err := s.post("/demo/db-up"); err != nil {
				return err
			}
			return s.see(readyPath, ok(), entry("database", "Healthy"), allWork, lagBelow(ordersKey, 10))
		},
	}, {
		"A rebuild of billing's accounts starts",
		"It reads every order again, from the first, beside the live `billing`. Being far behind is normal for it;\n" +
			"to hang would not be.",
		func(s *stage) error {
			if err := s.post("/demo/restart?processor=" + rebuildKey); err != nil {
				return err
			}
			return s.see(readyPath, ok(), works(rebuildKey), lagAbove(rebuildKey, 0), allWork)
		},
	}, {
		"The rebuild is done",
		"It ended on purpose, so it left the board: no line of it can turn stale.",
		func(s *stage) error {
			return s.see(readyPath, ok(), absent(rebuildKey), allWork)
		},
	}, {
		"Nothing was lost, and nothing had to be restarted from outside",
		"No more orders are placed. Each one was stored and billed once, and the live tier was 200 all the time.",
		func(s *stage) error {
			if err := a.nothingLost(s, beforeOutage); err != nil {
				return err
			}
			return live.verdict()
		},
	}}
}
