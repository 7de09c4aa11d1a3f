package ledger_test

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

// midMarch is a Monday at noon, far from both ends of its month.
var midMarch = time.Date(2026, time.March, 16, 12, 0, 0, 123456789, time.UTC)

// book is a ledger with one account on the plan "hundred" (100 points).
type book struct {
	*ledger.Ledger
	store    *store.Store
	registry *account.Registry
	clock    *storetest.Clock
	id       string
}

func each(t *testing.T, fn func(t *testing.T, b book)) {
	t.Helper()
	storetest.Each(t, testcontainers.Postgres, func(t *testing.T, st *store.Store) {
		t.Helper()
		fn(t, mustBook(t, st))
	})
}

func mustBook(tb testing.TB, st *store.Store) book {
	tb.Helper()
	plans := mustPlans(tb)
	clock := storetest.NewClock(midMarch)
	registry, err := account.New(st, account.Options{Plans: plans, Now: clock.Now})
	require.NoError(tb, err)
	a, err := registry.Create(tb.Context(), "An archive", "hundred")
	require.NoError(tb, err)
	return book{
		Ledger: ledger.New(st, ledger.Options{Plans: plans, Now: clock.Now}),
		store:  st, registry: registry, clock: clock, id: a.ID,
	}
}

func (b book) request() ledger.HoldRequest {
	return ledger.HoldRequest{AccountID: b.id, Points: 10, TTL: time.Minute}
}

func (b book) keyed(key, body string) ledger.HoldRequest {
	req := b.request()
	req.Idempotency = &ledger.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(body))}
	return req
}

func (b book) mustHold(tb testing.TB, req ledger.HoldRequest) ledger.Hold {
	tb.Helper()
	h, err := b.Hold(tb.Context(), req)
	require.NoError(tb, err)
	return h
}

func (b book) mustSettle(tb testing.TB, h ledger.Hold, answer string) ledger.Balance {
	tb.Helper()
	balance, err := b.Settle(tb.Context(), h, func(ledger.Balance) ([]byte, error) { return []byte(answer), nil })
	require.NoError(tb, err)
	return balance
}

// requireBalance checks the balance and that it is what the entries say.
func (b book) requireBalance(tb testing.TB, used, total int64) {
	tb.Helper()
	balance, err := b.Balance(tb.Context(), b.id)
	require.NoError(tb, err)
	require.Equal(tb, used, balance.Used, "used")
	require.Equal(tb, total-used, balance.Remaining, "remaining")
	require.Equal(tb, total, balance.Total, "total")
	b.requireAudit(tb)
}

func (b book) requireAudit(tb testing.TB) {
	tb.Helper()
	report, err := b.Audit(tb.Context())
	require.NoError(tb, err)
	require.Empty(tb, report.Discrepancies)
}

func mustPlans(tb testing.TB) account.Catalogue {
	tb.Helper()
	plans, err := account.ParseCatalogue(strings.NewReader(`{
		"hundred": {"points": 100, "requestsPerMinute": 10},
		"fifty": {"points": 50, "requestsPerMinute": 10},
		"thousand": {"points": 1000, "requestsPerMinute": 60}}`))
	require.NoError(tb, err)
	return plans
}

func TestLedger_Hold_racingRequestsNeverOverspend(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b book) {
		const racers = 256
		errs := race(racers, func(int) error {
			h, err := b.Hold(t.Context(), b.request())
			if err != nil {
				return err
			}
			_, err = b.Settle(t.Context(), h, nil)
			return err
		})
		granted := 0
		for _, err := range errs {
			if err == nil {
				granted++
				continue
			}
			var insufficient *ledger.InsufficientError
			require.ErrorAs(t, err, &insufficient)
			require.Equal(t, time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC), insufficient.NextReset)
		}
		require.Equal(t, 10, granted)
		b.requireBalance(t, 100, 100)
	})
}

// race runs fn in n goroutines that start together and returns their errors.
func race(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}
