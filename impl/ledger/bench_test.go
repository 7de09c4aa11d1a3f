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
	"uncial/impl/store"
)

// shop is all that an extraction asks of the database.
type shop struct {
	registry *account.Registry
	limiter  *ratelimit.Limiter
	ledger   *ledger.Ledger
	tokens   []string
}

func mustShop(b *testing.B, st *store.Store, accounts int) shop {
	b.Helper()
	plans, err := account.ParseCatalogue(strings.NewReader(
		`{"bench": {"points": 1000000000000, "requestsPerMinute": 1000000}}`))
	require.NoError(b, err)
	registry, err := account.New(st, account.Options{Secret: []byte("a secret for benchmarks"), Plans: plans})
	require.NoError(b, err)
	s := shop{
		registry: registry,
		limiter:  ratelimit.New(st, nil),
		ledger:   ledger.New(st, ledger.Options{Plans: plans}),
	}
	for range accounts {
		a, err := registry.Create(b.Context(), "An archive", "bench")
		require.NoError(b, err)
		_, token, err := registry.CreateKey(b.Context(), account.NewKey{AccountID: a.ID, Name: "A key"})
		require.NoError(b, err)
		s.tokens = append(s.tokens, token)
	}
	return s
}

func (s shop) extract(b *testing.B, token string, i *ledger.Idempotency) {
	b.Helper()
	ctx := b.Context()
	a, _, err := s.registry.Authenticate(ctx, token, netip.AddrFrom4([4]byte{192, 0, 2, 1}))
	require.NoError(b, err)
	_, _, err = s.limiter.Count(ctx, a.ID, 1_000_000)
	require.NoError(b, err)
	h, err := s.ledger.Hold(ctx, ledger.HoldRequest{AccountID: a.ID, Points: 10, TTL: time.Minute, Idempotency: i})
	require.NoError(b, err)
	_, err = s.ledger.Settle(ctx, h, func(ledger.Balance) ([]byte, error) { return make([]byte, 2000), nil })
	require.NoError(b, err)
}

// BenchmarkExtraction is Authenticate, Count, Hold and Settle: what an extraction costs besides fetching and reading.
func BenchmarkExtraction(b *testing.B) {
	for _, db := range databases {
		b.Run(db.Name, func(b *testing.B) {
			s := mustShop(b, db.MustOpen(b), 1)
			s.extract(b, s.tokens[0], nil) // the month begins
			b.Run("one caller", func(b *testing.B) {
				for b.Loop() {
					s.extract(b, s.tokens[0], nil)
				}
			})
			b.Run("one caller, idempotent", func(b *testing.B) {
				for b.Loop() {
					key := rand.Text()
					s.extract(b, s.tokens[0], &ledger.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(key))})
				}
			})
			b.Run("many callers, one account", func(b *testing.B) {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						s.extract(b, s.tokens[0], nil)
					}
				})
			})
		})
	}
}

// BenchmarkExtraction_manyAccounts spreads the callers over accounts, which then meet in no row.
func BenchmarkExtraction_manyAccounts(b *testing.B) {
	const callers = 16
	for _, db := range databases {
		b.Run(db.Name, func(b *testing.B) {
			s := mustShop(b, db.MustOpen(b), callers)
			tokens := make(chan string, callers)
			for _, token := range s.tokens {
				s.extract(b, token, nil)
				tokens <- token
			}
			b.ResetTimer()
			b.SetParallelism(callers / 2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					token := <-tokens
					s.extract(b, token, nil)
					tokens <- token
				}
			})
		})
	}
}

// BenchmarkLedger_Audit audits 100,000 extractions of one account in one month.
func BenchmarkLedger_Audit(b *testing.B) {
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) `
	for _, db := range databases {
		b.Run(db.Name, func(b *testing.B) {
			st := db.MustOpen(b)
			books := mustBook(b, st)
			_, err := books.ChangePlan(b.Context(), books.id, "million")
			require.NoError(b, err)
			for _, statement := range []string{
				`INSERT INTO balances SELECT id, '2026-03', 1000000, 100000, 0, 200001 FROM accounts`,
				`INSERT INTO entries SELECT id, '2026-03', 1, 'grant', 1000000, 1000000, NULL, 0 FROM accounts`,
				numbers + `INSERT INTO holds (id, account_id, period, points, state, created_at, expires_at)
					SELECT 'hold_' || i, id, '2026-03', 1, 'settled', 0, 0 FROM n, accounts`,
				numbers + `INSERT INTO entries
					SELECT id, '2026-03', 2 * i, 'hold', -1, 1000000 - i, 'hold_' || i, 0 FROM n, accounts`,
				numbers + `INSERT INTO entries
					SELECT id, '2026-03', 2 * i + 1, 'settle', 0, 1000000 - i, 'hold_' || i, 0 FROM n, accounts`,
			} {
				_, err := st.Writer().Exec(b.Context(), statement)
				require.NoError(b, err)
			}
			for b.Loop() {
				books.requireAudit(b)
			}
		})
	}
}
