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

func mustBookAt(tb testing.TB, url string) book {
	tb.Helper()
	st := storetest.MustOpen(tb, url)
	storetest.MustMigrate(tb, st)
	return mustBook(tb, st)
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
		"million": {"points": 1000000, "requestsPerMinute": 600},
		"thousand": {"points": 1000, "requestsPerMinute": 60}}`))
	require.NoError(tb, err)
	return plans
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

func TestLedger_Balance_beforeTheFirstHold(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			balance, err := b.Balance(t.Context(), b.id)
			require.NoError(t, err)
			april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
			require.Equal(t, ledger.Balance{Used: 0, Remaining: 100, Total: 100, NextReset: april}, balance)
			_, err = b.Balance(t.Context(), "acc_nobody")
			require.ErrorIs(t, err, account.ErrNoAccount)
		})
	}
}

func TestLedger_Balance_countsRunningHoldsAsUsed(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			h := b.mustHold(t, b.request())
			require.Equal(t, "2026-03", h.Period)
			require.Equal(t, midMarch.Add(time.Minute).Truncate(time.Microsecond), h.Expires)
			b.requireBalance(t, 10, 100)
			balance := b.mustSettle(t, h, "")
			require.Equal(t, int64(90), balance.Remaining)
			b.requireBalance(t, 10, 100)
			released := b.mustHold(t, b.request())
			b.requireBalance(t, 20, 100)
			require.NoError(t, b.Release(t.Context(), released))
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_beginsAPeriodOnceUnderARace(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for _, err := range race(8, func(int) error { _, err := b.Hold(t.Context(), b.request()); return err }) {
				require.NoError(t, err)
			}
			b.requireBalance(t, 80, 100)
		})
	}
}

func TestLedger_eachMonthBeginsWithTheAllowance(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for range 10 {
				b.mustSettle(t, b.mustHold(t, b.request()), "")
			}
			april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
			b.clock.Set(april.Add(-time.Microsecond))
			_, err := b.Hold(t.Context(), b.request())
			var insufficient *ledger.InsufficientError
			require.ErrorAs(t, err, &insufficient)
			require.Equal(t, april, insufficient.NextReset)
			require.Zero(t, insufficient.Remaining)

			b.clock.Set(april)
			b.requireBalance(t, 0, 100)
			b.mustSettle(t, b.mustHold(t, b.request()), "")
			b.requireBalance(t, 10, 100)

			b.clock.Set(time.Date(2026, time.December, 31, 23, 59, 59, 0, time.FixedZone("", -2*3600)))
			balance, err := b.Balance(t.Context(), b.id)
			require.NoError(t, err)
			require.Equal(t, time.Date(2027, time.February, 1, 0, 0, 0, 0, time.UTC), balance.NextReset, "months are UTC's")
		})
	}
}

func TestLedger_aHoldBelongsToTheMonthItWasTakenIn(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
			b.clock.Set(april.Add(-time.Second))
			charged, returned := b.mustHold(t, b.request()), b.mustHold(t, b.request())
			b.clock.Set(april.Add(time.Second))
			require.Equal(t, ledger.Balance{Remaining: 100, Total: 100, NextReset: april.AddDate(0, 1, 0)},
				b.mustSettle(t, charged, ""), "what is left after the call is the new month's")
			require.NoError(t, b.Release(t.Context(), returned))
			b.requireBalance(t, 0, 100)
			b.clock.Set(april.Add(-time.Second))
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_refusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for name, c := range map[string]struct {
				change func(*ledger.HoldRequest)
				want   error
			}{
				"no points":          {func(r *ledger.HoldRequest) { r.Points = 0 }, ledger.ErrPoints},
				"negative points":    {func(r *ledger.HoldRequest) { r.Points = -10 }, ledger.ErrPoints},
				"no time":            {func(r *ledger.HoldRequest) { r.TTL = 0 }, ledger.ErrTTL},
				"an unknown account": {func(r *ledger.HoldRequest) { r.AccountID = "acc_nobody" }, account.ErrNoAccount},
			} {
				req := b.request()
				c.change(&req)
				_, err := b.Hold(t.Context(), req)
				require.ErrorIs(t, err, c.want, name)
			}
			req := b.request()
			req.Points = 101
			_, err := b.Hold(t.Context(), req)
			var insufficient *ledger.InsufficientError
			require.ErrorAs(t, err, &insufficient)
			require.Equal(t, int64(100), insufficient.Remaining)
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_aPlanThatTheCatalogueHasLost(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			plans, err := account.ParseCatalogue(strings.NewReader(`{"other": {"points": 1, "requestsPerMinute": 1}}`))
			require.NoError(t, err)
			l := ledger.New(b.store, ledger.Options{Plans: plans, Now: b.clock.Now})
			_, err = l.Hold(t.Context(), b.request())
			require.ErrorIs(t, err, account.ErrPlan)
			_, err = l.Balance(t.Context(), b.id)
			require.ErrorIs(t, err, account.ErrPlan)
		})
	}
}
