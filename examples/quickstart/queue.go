package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	_ "modernc.org/sqlite" // the driver named in openQueue
)

// openQueue makes a database in memory with some orders to work off.
func openQueue(ctx context.Context) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection to :memory: is a database of its own
	_, err = db.ExecContext(ctx, `
		CREATE TABLE orders (id INTEGER PRIMARY KEY);
		INSERT INTO orders VALUES (1), (2), (3), (4), (5)`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// turn works off the oldest order, if there is one, and says how many are left.
// A turn that fails leaves its order for the next one; what the database has to
// say about that, its own check says.
func turn(ctx context.Context, db *sql.DB) (left int64) {
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
	_, _ = db.ExecContext(ctx, "DELETE FROM orders WHERE id = (SELECT min(id) FROM orders)")
	_ = db.QueryRowContext(ctx, "SELECT count(*) FROM orders").Scan(&left)
	return left
}
