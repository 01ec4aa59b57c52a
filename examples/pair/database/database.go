// Package database is what the nodes of a pair share: a PostgreSQL with the
// configuration of their address space, and the history of the alarms.
package database

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/loopvitals/loopvitals/examples/pair/alarm"
)

// limit is how long one statement may take: a database that hangs must not hold
// up the loop that asks it.
const limit = 2 * time.Second

// DB is the connection. All methods may be called by any goroutine.
type DB struct {
	*sql.DB
	prepared atomic.Bool
}

// Open returns the database at the URL. It does not wait for an answer: a node
// starts before its database.
func Open(url string) (*DB, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	db.SetMaxIdleConns(2)
	return &DB{DB: db}, nil
}

// The lock keeps the nodes from making the tables at the same time, which
// PostgreSQL takes for an error even when the table may be there.
const schema = `
SELECT pg_advisory_xact_lock(4053);
CREATE TABLE IF NOT EXISTS nodes (
	tag  text PRIMARY KEY,
	unit text NOT NULL
);
CREATE TABLE IF NOT EXISTS history (
	position bigint PRIMARY KEY,
	seq      bigint NOT NULL UNIQUE,
	tag      text NOT NULL,
	raised   boolean NOT NULL,
	value    double precision NOT NULL,
	writer   text NOT NULL
);
INSERT INTO nodes (tag, unit)
	SELECT * FROM (VALUES ('pressure', 'bar'), ('temperature', '°C'), ('level', 'm')) AS plant
	WHERE NOT EXISTS (SELECT FROM nodes);
`

// prepare makes the tables, once for each process.
func (d *DB) prepare(ctx context.Context) error {
	if d.prepared.Load() {
		return nil
	}
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	// One string of several statements is a text without arguments.
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("database: schema: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("database: schema: %w", err)
	}
	d.prepared.Store(true)
	return nil
}

// Row is the configuration of one node of the address space.
type Row struct{ Tag, Unit string }

// Nodes reads the configuration of the address space.
func (d *DB) Nodes(ctx context.Context) (rows []Row, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	found, err := d.QueryContext(ctx, `SELECT tag, unit FROM nodes ORDER BY tag`)
	if err != nil {
		return nil, fmt.Errorf("database: nodes: %w", err)
	}
	defer found.Close()
	for found.Next() {
		var r Row
		if err := found.Scan(&r.Tag, &r.Unit); err != nil {
			return nil, fmt.Errorf("database: nodes: %w", err)
		}
		rows = append(rows, r)
	}
	return rows, found.Err()
}

// LastRecorded returns the position in the stream of transitions up to which the
// history is complete, 0 when it is empty.
func (d *DB) LastRecorded(ctx context.Context) (position uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := d.prepare(ctx); err != nil {
		return 0, err
	}
	var last int64
	if err := d.QueryRowContext(ctx, `SELECT coalesce(max(position), 0) FROM history`).Scan(&last); err != nil {
		return 0, fmt.Errorf("database: history: %w", err)
	}
	return uint64(last), nil
}

// Record writes a transition down, if it is not there yet: whoever writes it, and
// however late, it is there once.
func (d *DB) Record(ctx context.Context, position uint64, t alarm.Transition, writer string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := d.ExecContext(ctx,
		`INSERT INTO history (position, seq, tag, raised, value, writer) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		int64(position), int64(t.Seq), t.Tag, t.Raised, t.Value, writer)
	if err != nil {
		return fmt.Errorf("database: history: %w", err)
	}
	return nil
}
