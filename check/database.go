package check

import (
	"context"
	"database/sql"
	"fmt"
)

// Database is a Checker over the caller's own handle: *sql.DB, a pool of pgx,
// or anything else. By default it tests connectivity only, through the
// handle's PingContext(ctx) error or Ping(ctx) error method (S1.12). Queries
// replace that test, which is then not made at all (S1.13); they run in order
// and the first error ends the run.
//
// A nil handle or query, and a handle without such a method and without a
// query, give a Checker that NewRunner refuses.
//
// A pool that is exhausted makes the check time out although the database is
// up: this process cannot reach it, which is what readiness asks.
func Database[T any](handle T, queries ...func(ctx context.Context, handle T) error) Checker {
	if isNil(handle) {
		return Invalid(fmt.Errorf("check: handle %T nil: must not be nil", handle))
	}
	for i, query := range queries {
		if query == nil {
			return Invalid(fmt.Errorf("check: query %d nil: must not be nil", i))
		}
	}
	if len(queries) > 0 {
		return Ping(func(ctx context.Context) error {
			for _, query := range queries {
				if err := query(ctx, handle); err != nil {
					return err
				}
			}
			return nil
		})
	}
	switch h := any(handle).(type) {
	case interface{ PingContext(context.Context) error }:
		return Ping(h.PingContext)
	case interface{ Ping(context.Context) error }:
		return Ping(h.Ping)
	}
	return Invalid(fmt.Errorf("check: handle %T: must have PingContext(ctx) or Ping(ctx), or be given a query", handle))
}

// SQL is Database over a *sql.DB.
func SQL(db *sql.DB, queries ...func(ctx context.Context, db *sql.DB) error) Checker {
	return Database(db, queries...)
}
