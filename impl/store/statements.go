package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"modernc.org/sqlite"
)

// maxStatements is the maximum number of prepared statements of one connection. The service has about a hundred different ones.
const maxStatements = 256

// sqliteConnector opens connections to a SQLite file that keep their statements prepared, because preparing most statements
// takes longer than running them. The driver of Postgres does so by itself.
type sqliteConnector struct{ dsn string }

var _ driver.Connector = sqliteConnector{}

// Connect opens a connection whose statements are prepared once.
func (c sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	raw, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, err
	}
	conn, ok := raw.(sqliteConn)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver lacks a method"), raw.Close())
	}
	return &preparing{sqliteConn: conn, statements: map[string]*statement{}}, nil
}

func (sqliteConnector) Driver() driver.Driver { return &sqlite.Driver{} }

// sqliteConn has the methods of the driver's connections that database/sql looks for.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// preparing is a connection that prepares each statement once. database/sql lets one goroutine at a time use it.
type preparing struct {
	sqliteConn
	statements map[string]*statement
}

// statement is a prepared statement. While the rows of a query are open, it cannot run again.
type statement struct {
	prepared preparedStatement
	isOpen   bool
}

// preparedStatement has the methods of a driver's statement that preparing uses.
type preparedStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// ExecContext runs a statement that returns no rows.
func (p *preparing) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return p.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.prepared.ExecContext(ctx, args)
}

// QueryContext runs a statement that returns rows.
func (p *preparing) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return p.sqliteConn.QueryContext(ctx, query, args)
	}
	found, err := s.prepared.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.isOpen = true
	return &rows{found, s}, nil
}

// statement returns the prepared statement, or nil if the query must run without one: scripts and definitions run only once,
// and a prepared statement whose rows are still open cannot run again.
func (p *preparing) statement(ctx context.Context, query string) (*statement, error) {
	if s := p.statements[query]; s != nil {
		if s.isOpen {
			return nil, nil
		}
		return s, nil
	}
	if !isKept(query) || len(p.statements) == maxStatements {
		return nil, nil
	}
	raw, err := p.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	prepared, ok := raw.(preparedStatement)
	if !ok {
		return nil, raw.Close()
	}
	s := &statement{prepared: prepared}
	p.statements[query] = s
	return s, nil
}

// isKept reports whether a statement reads or changes rows. Migrations are other statements, or several at once.
func isKept(query string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch first {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return !strings.Contains(query, ";")
	}
	return false
}

// Close closes the statements and the connection.
func (p *preparing) Close() error {
	var errs []error
	for _, s := range p.statements {
		errs = append(errs, s.prepared.Close())
	}
	return errors.Join(append(errs, p.sqliteConn.Close())...)
}

// rows are the rows of a query by a prepared statement.
type rows struct {
	driver.Rows
	of *statement
}

// Close makes the statement usable again.
func (r *rows) Close() error {
	r.of.isOpen = false
	return r.Rows.Close()
}
