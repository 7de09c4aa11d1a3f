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

// Each runs fn on an empty, migrated SQLite file and on an empty, migrated Postgres database. postgres returns the
// URL of a new database on a server that lives as long as the test, and ends the test where there is none.
func Each(t *testing.T, postgres func(testing.TB) string, fn func(t *testing.T, st *store.Store)) {
	t.Helper()
	EachURL(t, postgres, func(t *testing.T, url string) {
		t.Helper()
		st := MustOpen(t, url)
		MustMigrate(t, st)
		fn(t, st)
	})
}

// EachURL is Each with the URLs of databases that do not have a schema yet.
func EachURL(t *testing.T, postgres func(testing.TB) string, fn func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, postgres(t))
	})
}

// SQLite is the URL of a file that does not exist yet and goes with the test.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "test.db")
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
