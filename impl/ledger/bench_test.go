package ledger_test

import (
	"crypto/rand"
	"crypto/sha256"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

// extractor makes the calls to the database that one extraction needs.
type extractor struct {
	registry *account.Registry
	limiter  *ratelimit.Limiter
	ledger   *ledger.Ledger
	tokens   []string // of one account each
}

const accounts = 16

func newExtractor(tb testing.TB, url string) extractor {
	tb.Helper()
	st := storetest.MustMigrate(tb, url)
	plans, err := account.ParseCatalogue(strings.NewReader(
		`{"bench": {"points": 1000000000000, "requestsPerMinute": 1000000}}`))
	require.NoError(tb, err)
	registry, err := account.New(st, account.Options{Secret: []byte("a secret for benchmarks, as long as one must be"), Plans: plans})
	require.NoError(tb, err)
	e := extractor{
		registry: registry,
		limiter:  ratelimit.New(st, nil),
		ledger:   ledger.New(st, ledger.Options{Plans: plans}),
	}
	for range accounts {
		a, err := registry.Create(tb.Context(), "An archive", "bench")
		require.NoError(tb, err)
		_, token, err := registry.CreateKey(tb.Context(), account.NewKey{AccountID: a.ID, Name: "A key"})
		require.NoError(tb, err)
		e.tokens = append(e.tokens, token)
		e.extract(tb, token, nil) // opens the period
	}
	return e
}

func (e extractor) extract(tb testing.TB, token string, i *ledger.Idempotency) {
	tb.Helper()
	ctx := tb.Context()
	a, _, err := e.registry.Authenticate(ctx, token, netip.AddrFrom4([4]byte{192, 0, 2, 1}))
	require.NoError(tb, err)
	_, _, err = e.limiter.Count(ctx, a.ID, 1_000_000)
	require.NoError(tb, err)
	h, err := e.ledger.Hold(ctx, ledger.HoldRequest{AccountID: a.ID, Points: 10, TTL: time.Minute, Idempotency: i})
	require.NoError(tb, err)
	_, err = e.ledger.Settle(ctx, h, func(ledger.Balance) ([]byte, error) { return make([]byte, 2000), nil })
	require.NoError(tb, err)
}

// BenchmarkExtraction measures Authenticate, Count, Hold and Settle: the cost of an extraction without fetching and
// reading. The callers of "many accounts" never change the same row.
func BenchmarkExtraction(b *testing.B) {
	storetest.RunBenchmark(b, testcontainers.Postgres, newExtractor, func(b *testing.B, e extractor) {
		b.Helper()
		b.Run("one caller", func(b *testing.B) {
			for b.Loop() {
				e.extract(b, e.tokens[0], nil)
			}
		})
		b.Run("one caller, idempotent", func(b *testing.B) {
			for b.Loop() {
				key := rand.Text()
				e.extract(b, e.tokens[0], &ledger.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(key))})
			}
		})
		b.Run("many callers, one account", func(b *testing.B) {
			b.SetParallelism(accounts / 2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					e.extract(b, e.tokens[0], nil)
				}
			})
		})
		b.Run("many callers, many accounts", func(b *testing.B) {
			tokens := make(chan string, accounts)
			for _, token := range e.tokens {
				tokens <- token
			}
			b.SetParallelism(accounts / 2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					token := <-tokens
					e.extract(b, token, nil)
					tokens <- token
				}
			})
		})
	})
}

// BenchmarkLedger_Audit audits 100,000 extractions of one account in one month.
func BenchmarkLedger_Audit(b *testing.B) {
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) `
	storetest.RunBenchmark(b, testcontainers.Postgres, newBook, func(b *testing.B, books book) {
		b.Helper()
		books.mustChangePlan("million")
		for _, statement := range []string{
			`INSERT INTO balances (account_id, period, total, used, held, seq) SELECT id, '2026-03', 1000000, 100000, 0, 200001 FROM accounts`,
			`INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at) SELECT id, '2026-03', 1, 'grant', 1000000, 1000000, NULL, 0 FROM accounts`,
			numbers + `INSERT INTO holds (id, account_id, period, points, state, created_at, expires_at)
				SELECT 'hold_' || i, id, '2026-03', 1, 'settled', 0, 0 FROM n, accounts`,
			numbers + `INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at)
				SELECT id, '2026-03', 2 * i, 'hold', -1, 1000000 - i, 'hold_' || i, 0 FROM n, accounts`,
			numbers + `INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at)
				SELECT id, '2026-03', 2 * i + 1, 'settle', 0, 1000000 - i, 'hold_' || i, 0 FROM n, accounts`,
		} {
			books.mustExec(statement)
		}
		for b.Loop() {
			books.requireAudit()
		}
	})
}
