package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite", in pure Go
)

// idleConns is how many open connections the pool keeps.
const idleConns = 2

// database is where orders are stored: an embedded SQLite, used as any other
// database is, through database/sql.
type database struct {
	*sql.DB
	dir string

	mu   sync.Mutex // away and the directory's place change together
	away bool
}

func openDatabase(ctx context.Context, dir string) (*database, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "shop.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, err
	}
	// mode=rw: a missing file is an error. SQLite's default would create an
	// empty database in its place, and the outage would go unseen.
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw&_pragma=busy_timeout(1000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		return nil, err
	}
	db.SetMaxIdleConns(idleConns)
	if _, err := db.ExecContext(ctx, `CREATE TABLE orders (seq INTEGER PRIMARY KEY, customer TEXT NOT NULL, cents INTEGER NOT NULL)`); err != nil {
		return nil, fmt.Errorf("database: %w (close: %v)", err, db.Close())
	}
	return &database{DB: db, dir: dir}, nil
}

// store writes an order down, once: a redelivered message changes nothing.
// It has its own limit, so a slow database makes the handler fail and the
// message come back, instead of making the loop look stuck.
func (d *database) store(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := d.ExecContext(ctx, `INSERT OR IGNORE INTO orders (seq, customer, cents) VALUES (?, ?, ?)`,
		int64(m.Seq), m.Order.Customer, m.Order.Cents) //nolint:gosec // a stream never holds 2^63 messages
	return err
}

// stored counts the orders written down so far.
func (d *database) stored(ctx context.Context) (n uint64, err error) {
	err = d.QueryRowContext(ctx, `SELECT count(*) FROM orders`).Scan(&n)
	return n, err
}

// goAway makes the database unreachable for real: no pooled connection
// survives, and the directory is moved, so that every new connection fails.
func (d *database) goAway() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away {
		return nil
	}
	d.SetMaxIdleConns(0)
	if err := os.Rename(d.dir, d.dir+".away"); err != nil {
		return err
	}
	d.away = true
	return nil
}

// comeBack undoes goAway. Nothing that was stored is lost.
func (d *database) comeBack() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.away {
		return nil
	}
	if err := os.Rename(d.dir+".away", d.dir); err != nil {
		return err
	}
	d.SetMaxIdleConns(idleConns)
	d.away = false
	return nil
}
