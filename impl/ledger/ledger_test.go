package ledger_test

import (
	"crypto/sha256"
	"errors"
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

// book is a test of a ledger with one account on the plan "hundred" (100 points).
type book struct {
	testing.TB
	*ledger.Ledger
	url      string // of the database
	store    *store.Store
	registry *account.Registry
	clock    *storetest.Clock
	id       string // of the account
}

// bookTests maps the names of sub-tests to their functions; each gets its own book.
type bookTests map[string]func(book)

func (tests bookTests) run(t *testing.T) {
	t.Helper()
	storetest.Run(t, testcontainers.Postgres, newBook, tests)
}

func newBook(tb testing.TB, url string) book {
	tb.Helper()
	st, plans := storetest.MustMigrate(tb, url), mustPlans(tb)
	clock := storetest.NewClock(midMarch)
	registry, err := account.New(st, account.Options{Secret: []byte("a test secret that is long enough"), Plans: plans, Now: clock.Now})
	require.NoError(tb, err)
	a, err := registry.Create(tb.Context(), "An archive", "hundred")
	require.NoError(tb, err)
	return book{
		TB: tb, Ledger: ledger.New(st, ledger.Options{Plans: plans, Now: clock.Now}),
		url: url, store: st, registry: registry, clock: clock, id: a.ID,
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

func (b book) mustHold(req ledger.HoldRequest) ledger.Hold {
	b.Helper()
	h, err := b.Hold(b.Context(), req)
	require.NoError(b, err)
	return h
}

// mustCharge holds the points and settles the hold with a reply.
func (b book) mustCharge(req ledger.HoldRequest, text string) ledger.Balance {
	b.Helper()
	return b.mustSettle(b.mustHold(req), text)
}

func (b book) mustSettle(h ledger.Hold, text string) ledger.Balance {
	b.Helper()
	balance, err := b.Settle(b.Context(), h, reply(text))
	require.NoError(b, err)
	return balance
}

func (b book) mustChangePlan(plan string) ledger.Balance {
	b.Helper()
	balance, err := b.ChangePlan(b.Context(), b.id, plan)
	require.NoError(b, err)
	return balance
}

// mustExec changes the database directly, without the ledger, and returns the number of changed rows.
func (b book) mustExec(statement string) int64 {
	b.Helper()
	n, err := b.store.Writer().Exec(b.Context(), statement)
	require.NoError(b, err)
	return n
}

// requireBalance checks the balance, and that the entries add up to it.
func (b book) requireBalance(used, total int64) {
	b.Helper()
	balance, err := b.Balance(b.Context(), b.id)
	require.NoError(b, err)
	require.Equal(b, used, balance.Used, "used")
	require.Equal(b, total-used, balance.Remaining, "remaining")
	require.Equal(b, total, balance.Total, "total")
	b.requireAudit()
}

func (b book) requireAudit() {
	b.Helper()
	require.Empty(b, b.mustAudit().Discrepancies)
}

func (b book) mustAudit() ledger.Report {
	b.Helper()
	report, err := b.Audit(b.Context())
	require.NoError(b, err)
	return report
}

// requireInsufficient checks that err is an InsufficientError with these remaining points.
func requireInsufficient(tb testing.TB, err error, remaining int64) {
	tb.Helper()
	var insufficient *ledger.InsufficientError
	require.ErrorAs(tb, err, &insufficient)
	require.Equal(tb, remaining, insufficient.Remaining)
}

// reply returns a function for Settle that makes a reply with this text.
func reply(text string) func(ledger.Balance) ([]byte, error) {
	return func(ledger.Balance) ([]byte, error) { return []byte(text), nil }
}

func requireAll(tb testing.TB, errs []error) {
	tb.Helper()
	require.NoError(tb, errors.Join(errs...))
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

func TestLedger_Balance(t *testing.T) { ledgerBalanceTests.run(t) }

var ledgerBalanceTests = bookTests{
	"is the whole allowance before the first hold": func(t book) {
		balance, err := t.Balance(t.Context(), t.id)
		require.NoError(t, err)
		april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
		require.Equal(t, ledger.Balance{Used: 0, Remaining: 100, Total: 100, NextReset: april, LimitedBy: "account"}, balance)
		_, err = t.Balance(t.Context(), "acc_nobody")
		require.ErrorIs(t, err, account.ErrNoAccount)
	},
	"counts running holds as used": func(t book) {
		h := t.mustHold(t.request())
		require.Equal(t, "2026-03", h.Period)
		require.Equal(t, midMarch.Add(time.Minute).Truncate(time.Microsecond), h.Expires)
		t.requireBalance(10, 100)
		balance := t.mustSettle(h, "")
		require.Equal(t, int64(90), balance.Remaining)
		t.requireBalance(10, 100)
		released := t.mustHold(t.request())
		t.requireBalance(20, 100)
		require.NoError(t, t.Release(t.Context(), released))
		t.requireBalance(10, 100)
	},
	"is the allowance again at the start of each month": func(t book) {
		for range 10 {
			t.mustCharge(t.request(), "")
		}
		april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
		t.clock.Set(april.Add(-time.Microsecond))
		_, err := t.Hold(t.Context(), t.request())
		var insufficient *ledger.InsufficientError
		require.ErrorAs(t, err, &insufficient)
		require.Equal(t, april, insufficient.NextReset)
		require.Zero(t, insufficient.Remaining)

		t.clock.Set(april)
		t.requireBalance(0, 100)
		t.mustCharge(t.request(), "")
		t.requireBalance(10, 100)

		t.clock.Set(time.Date(2026, time.December, 31, 23, 59, 59, 0, time.FixedZone("", -2*3600)))
		balance, err := t.Balance(t.Context(), t.id)
		require.NoError(t, err)
		require.Equal(t, time.Date(2027, time.February, 1, 0, 0, 0, 0, time.UTC), balance.NextReset, "months begin in UTC")
	},
}

func TestLedger_Hold(t *testing.T) { ledgerHoldTests.run(t) }

var ledgerHoldTests = bookTests{
	"opens a period once when requests race": func(t book) {
		for _, err := range race(8, func(int) error { _, err := t.Hold(t.Context(), t.request()); return err }) {
			require.NoError(t, err)
		}
		t.requireBalance(80, 100)
	},
	"belongs to the month it was taken in": func(t book) {
		april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
		t.clock.Set(april.Add(-time.Second))
		charged, returned := t.mustHold(t.request()), t.mustHold(t.request())
		t.clock.Set(april.Add(time.Second))
		require.Equal(t, ledger.Balance{Remaining: 100, Total: 100, NextReset: april.AddDate(0, 1, 0), LimitedBy: "account"},
			t.mustSettle(charged, ""), "the balance is that of the new month")
		require.NoError(t, t.Release(t.Context(), returned))
		t.requireBalance(0, 100)
		t.clock.Set(april.Add(-time.Second))
		t.requireBalance(10, 100)
	},
	"refuses invalid requests and too many points": func(t book) {
		for name, c := range map[string]struct {
			change func(*ledger.HoldRequest)
			want   error
		}{
			"no points":          {func(r *ledger.HoldRequest) { r.Points = 0 }, ledger.ErrPoints},
			"negative points":    {func(r *ledger.HoldRequest) { r.Points = -10 }, ledger.ErrPoints},
			"no time":            {func(r *ledger.HoldRequest) { r.TTL = 0 }, ledger.ErrTTL},
			"an unknown account": {func(r *ledger.HoldRequest) { r.AccountID = "acc_nobody" }, account.ErrNoAccount},
		} {
			req := t.request()
			c.change(&req)
			_, err := t.Hold(t.Context(), req)
			require.ErrorIs(t, err, c.want, name)
		}
		req := t.request()
		req.Points = 101
		_, err := t.Hold(t.Context(), req)
		requireInsufficient(t, err, 100)
		t.requireBalance(0, 100)
	},
	"refuses a plan that the catalogue lacks": func(t book) {
		plans, err := account.ParseCatalogue(strings.NewReader(`{"other": {"points": 1, "requestsPerMinute": 1}}`))
		require.NoError(t, err)
		l := ledger.New(t.store, ledger.Options{Plans: plans, Now: t.clock.Now})
		_, err = l.Hold(t.Context(), t.request())
		require.ErrorIs(t, err, account.ErrPlan)
		_, err = l.Balance(t.Context(), t.id)
		require.ErrorIs(t, err, account.ErrPlan)
	},
}
