package check_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"
)

// fakeDB is a database/sql driver whose connectivity a test sets. It opens a
// connection lazily, as real ones do.
type fakeDB struct {
	down    atomic.Pointer[error]
	hangs   atomic.Bool
	pings   atomic.Int64
	queries atomic.Int64
}

func (f *fakeDB) open(t *testing.T) *sql.DB {
	db := sql.OpenDB(f)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (f *fakeDB) fail(err error) { f.down.Store(&err) }
func (f *fakeDB) recover()       { f.down.Store(nil) }

func (f *fakeDB) err(ctx context.Context) error {
	if f.hangs.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	if err := f.down.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *fakeDB) Connect(ctx context.Context) (driver.Conn, error) {
	if err := f.err(ctx); err != nil {
		return nil, err
	}
	return &fakeConn{f}, nil
}

func (f *fakeDB) Driver() driver.Driver { return f }

func (f *fakeDB) Open(string) (driver.Conn, error) { return f.Connect(context.Background()) }

type fakeConn struct{ db *fakeDB }

func (c *fakeConn) Ping(ctx context.Context) error {
	c.db.pings.Add(1)
	return c.db.err(ctx)
}

func (c *fakeConn) ExecContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Result, error) {
	c.db.queries.Add(1)
	return driver.ResultNoRows, c.db.err(ctx)
}

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not supported") }
func (c *fakeConn) Begin() (driver.Tx, error)           { return nil, errors.New("not supported") }
func (c *fakeConn) Close() error                        { return nil }
