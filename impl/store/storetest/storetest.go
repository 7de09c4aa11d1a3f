// Package storetest runs tests on both databases that the service supports: SQLite and Postgres. Start with Run. It links
// package testing, so no program may import it. It does not start containers itself, because packages that programs link must
// not depend on them: callers pass testcontainers.Postgres.
package storetest

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"uncial/impl/store"
)

// NewDatabase returns the URL of a new and empty database that is removed when the test ends.
type NewDatabase = func(tb testing.TB) string

// Run runs every test on SQLite and on Postgres, all in parallel. The keys of tests are the names of sub-tests. fixture
// prepares a new and empty database for one test.
func Run[F any](t *testing.T, postgres NewDatabase, fixture func(tb testing.TB, url string) F, tests map[string]func(F)) {
	t.Helper()
	t.Parallel()
	for kind, newURL := range databases(postgres) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for sentence, test := range tests {
				t.Run(sentence, func(t *testing.T) {
					t.Parallel()
					test(fixture(t, newURL(t)))
				})
			}
		})
	}
}

// RunBenchmark runs one benchmark on SQLite and on Postgres. fixture is as for Run.
func RunBenchmark[F any](b *testing.B, postgres NewDatabase, fixture func(tb testing.TB, url string) F, benchmark func(*testing.B, F)) {
	b.Helper()
	for kind, newURL := range databases(postgres) {
		b.Run(kind, func(b *testing.B) { benchmark(b, fixture(b, newURL(b))) })
	}
}

func databases(postgres NewDatabase) map[string]NewDatabase {
	return map[string]NewDatabase{"sqlite": SQLite, "postgres": postgres}
}

// SQLite returns the URL of a file that does not exist yet and is removed when the test ends.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "test.db")
}

// MustOpen opens the database, and closes it when the test ends. The timeout is so long that tests do not fail on a busy
// machine.
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

// MustMigrate is MustOpen with the current schema in place.
func MustMigrate(tb testing.TB, url string) *store.Store {
	tb.Helper()
	st := MustOpen(tb, url)
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	if _, err := st.Migrate(ctx); err != nil {
		tb.Fatalf("migrate: %v", err)
	}
	return st
}

// Clock is a clock that moves only when a test moves it. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that is set to now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time to which the clock is set.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to now, which may be earlier.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }
