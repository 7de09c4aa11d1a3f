// Package storetest runs one test on every database that the service supports. It links testing and is for tests.
package storetest

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"uncial/impl/store"
)

// Database is one kind of database that tests run on.
type Database struct {
	Name string
	// URL is the address of a new and empty database, which goes with the test.
	URL func(tb testing.TB) string
}

// Databases are all kinds. postgres returns the URL of a new database on a server that lives as long as the test, and
// ends the test where there is none.
func Databases(postgres func(testing.TB) string) []Database {
	return []Database{{"sqlite", SQLite}, {"postgres", postgres}}
}

// SQLite is the URL of a file that does not exist yet and goes with the test.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "test.db")
}

// MustOpen makes a new database with its schema and opens it until the test ends.
func (d Database) MustOpen(tb testing.TB) *store.Store {
	tb.Helper()
	st := MustOpen(tb, d.URL(tb))
	MustMigrate(tb, st)
	return st
}

// MustOpen opens the database until the test ends.
func MustOpen(tb testing.TB, url string) *store.Store {
	tb.Helper()
	st, err := store.Open(tb.Context(), url, store.Options{Timeout: time.Minute})
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	tb.Cleanup(func() {
		if err := st.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return st
}

// MustMigrate makes the schema.
func MustMigrate(tb testing.TB, st *store.Store) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	if _, err := st.Migrate(ctx); err != nil {
		tb.Fatalf("migrate: %v", err)
	}
}

// Clock is a clock that moves only when it is told to. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock stands at the time given.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now is the time it stands at.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves it to the time given.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves it on.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }
