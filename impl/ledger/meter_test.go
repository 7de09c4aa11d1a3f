package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/store/storetest"
)

// mustKey makes a key of the account; limit is its cap, nil for none.
func (b book) mustKey(limit *int64) account.Key {
	b.Helper()
	k, _, err := b.registry.CreateKey(b.Context(), account.NewKey{AccountID: b.id, Name: "A key", Cap: limit})
	require.NoError(b, err)
	return k
}

// by returns a request that the key pays for.
func (b book) by(k account.Key) ledger.HoldRequest {
	req := b.request()
	req.KeyID, req.MeterID = k.ID, k.MeterID
	return req
}

func (b book) requireLimited(req ledger.HoldRequest, by string, remaining int64) {
	b.Helper()
	_, err := b.Hold(b.Context(), req)
	var insufficient *ledger.InsufficientError
	require.ErrorAs(b, err, &insufficient)
	require.Equal(b, []any{by, remaining}, []any{string(insufficient.LimitedBy), insufficient.Remaining})
}

func (b book) mustUse() map[string]ledger.MeterUse {
	b.Helper()
	uses, err := b.MeterUses(b.Context(), b.id)
	require.NoError(b, err)
	return uses
}

func TestLedger_Hold_Capped(t *testing.T) {
	bookTests{
		"stops at the cap of the key while other keys continue to work": func(t book) {
			capped, free := t.mustKey(new(int64(25))), t.mustKey(nil)
			got := t.mustCharge(t.by(capped), "")
			require.Equal(t, ledger.Balance{Used: 10, Remaining: 15, Total: 25, NextReset: got.NextReset, LimitedBy: "key"}, got)
			t.mustHold(t.by(capped))
			t.requireLimited(t.by(capped), "key", 5)
			got = t.mustCharge(t.by(free), "")
			require.Equal(t, []any{int64(70), "account"}, []any{got.Remaining, string(got.LimitedBy)})
			t.requireBalance(30, 100)
		},
		"names the account when it has fewer points left than the cap": func(t book) {
			capped, free := t.mustKey(new(int64(60))), t.mustKey(nil)
			for range 9 {
				t.mustCharge(t.by(free), "")
			}
			got := t.mustCharge(t.by(capped), "")
			require.Equal(t, []any{int64(0), int64(100), "account"}, []any{got.Remaining, got.Total, string(got.LimitedBy)})
			t.requireLimited(t.by(capped), "account", 0)
		},
		"names the key when both limits are used up and the key has fewer points": func(t book) {
			capped := t.mustKey(new(int64(3)))
			for range 9 {
				t.mustCharge(t.request(), "")
			}
			req := t.request()
			req.Points = 5
			t.mustCharge(req, "")
			t.requireLimited(t.by(capped), "key", 3)
		},
	}.run(t)
}

func TestLedger_Hold_CappedForAMonth(t *testing.T) {
	bookTests{
		"returns released and expired points to the cap": func(t book) {
			capped := t.mustKey(new(int64(10)))
			require.NoError(t, t.Release(t.Context(), t.mustHold(t.by(capped))))
			t.mustHold(t.by(capped))
			t.requireLimited(t.by(capped), "key", 0)
			t.clock.Advance(time.Minute)
			t.mustCharge(t.by(capped), "") // expires the overdue hold first
			t.requireBalance(10, 100)
		},
		"charges the month of the hold, and starts again with the new month": func(t book) {
			capped := t.mustKey(new(int64(10)))
			april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
			t.clock.Set(april.Add(-time.Microsecond))
			h := t.mustHold(t.by(capped))
			t.requireLimited(t.by(capped), "key", 0)
			t.clock.Set(april)
			got := t.mustSettle(h, "")
			require.Equal(t, []any{int64(10), int64(10), "key"}, []any{got.Remaining, got.Total, string(got.LimitedBy)})
			t.mustCharge(t.by(capped), "")
			t.requireLimited(t.by(capped), "key", 0)
			t.requireAudit()
		},
		"is carried over by rotation, with its use": func(t book) {
			old := t.mustKey(new(int64(30)))
			t.mustCharge(t.by(old), "")
			made, _, err := t.registry.Rotate(t.Context(), old.ID, time.Hour)
			require.NoError(t, err)
			require.Equal(t, []any{old.MeterID, int64(30), old.ID}, []any{made.MeterID, *made.Cap, made.Replaces})
			t.mustCharge(t.by(made), "")
			t.mustCharge(t.by(old), "") // both work during the overlap and share the cap
			t.requireLimited(t.by(made), "key", 0)
			require.Equal(t, map[string]ledger.MeterUse{
				old.MeterID: {MeterID: old.MeterID, AccountID: t.id, Cap: new(int64(30)), Used: 30},
			}, t.mustUse())
			t.requireAudit()
		},
		"counts what was used before the cap was set": func(t book) {
			k := t.mustKey(nil)
			t.mustCharge(t.by(k), "")
			require.NoError(t, t.registry.SetCap(t.Context(), k.ID, new(int64(15))))
			t.requireLimited(t.by(k), "key", 5)
			require.NoError(t, t.registry.SetCap(t.Context(), k.ID, new(int64(5))))
			t.requireLimited(t.by(k), "key", 0)
			require.NoError(t, t.registry.SetCap(t.Context(), k.ID, nil))
			t.mustCharge(t.by(k), "")
			require.ErrorIs(t, t.registry.SetCap(t.Context(), k.ID, new(int64(-1))), account.ErrCap)
			require.ErrorIs(t, t.registry.SetCap(t.Context(), "key_nobody", nil), account.ErrNoKey)
		},
	}.run(t)
}

func TestLedger_Hold_CappedRace(t *testing.T) {
	bookTests{
		"never exceeds the cap when requests race": func(t book) {
			capped := t.mustKey(new(int64(50)))
			other := ledger.New(storetest.MustOpen(t, t.url), ledger.Options{Plans: mustPlans(t), Now: t.clock.Now})
			granted := 0
			for _, err := range race(64, func(i int) error {
				l := []*ledger.Ledger{t.Ledger, other}[i%2]
				h, err := l.Hold(t.Context(), t.by(capped))
				if err == nil && i%3 > 0 {
					_, err = l.Settle(t.Context(), h, nil)
				}
				return err
			}) {
				if err == nil {
					granted++
				}
			}
			require.Equal(t, 5, granted)
			t.requireBalance(50, 100)
		},
	}.run(t)
}

func TestLedger_SetPlaygroundCap(t *testing.T) {
	bookTests{"bounds the playground of an account": func(t book) {
		t.mustChangePlan("million")
		playground := t.request()
		playground.MeterID = ledger.PlaygroundMeter(t.id)
		limit, err := t.PlaygroundCap(t.Context(), t.id)
		require.NoError(t, err)
		require.Equal(t, int64(1000), *limit)
		require.Equal(t, int64(990), t.mustCharge(playground, "").Remaining)
		require.NoError(t, t.SetPlaygroundCap(t.Context(), t.id, new(int64(15))))
		t.requireLimited(playground, "key", 5)
		require.NoError(t, t.SetPlaygroundCap(t.Context(), t.id, nil))
		t.mustCharge(playground, "")
		require.ErrorIs(t, t.SetPlaygroundCap(t.Context(), t.id, new(int64(-1))), account.ErrCap)
		require.ErrorIs(t, t.SetPlaygroundCap(t.Context(), "acc_nobody", nil), account.ErrNoAccount)
		playground.MeterID, playground.AccountID = ledger.PlaygroundMeter("acc_nobody"), "acc_nobody"
		_, err = t.Hold(t.Context(), playground)
		require.ErrorIs(t, err, account.ErrNoAccount)
	}}.run(t)
}

func TestLedger_Grant(t *testing.T) {
	bookTests{
		"adds points to this month, which a change of plan keeps": func(t book) {
			b, err := t.Grant(t.Context(), t.id, 40, "Exhibition in May")
			require.NoError(t, err)
			require.Equal(t, int64(140), b.Remaining)
			require.Equal(t, int64(90), t.mustChangePlan("fifty").Remaining)
			t.requireBalance(0, 90)
			t.clock.Set(time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC))
			t.requireBalance(0, 50)
		},
		"refuses invalid grants": func(t book) {
			for _, points := range []int64{0, -5, 1_000_000_000_001, 1_000_000_000_000} {
				_, err := t.Grant(t.Context(), t.id, points, "because")
				require.ErrorIs(t, err, ledger.ErrPoints)
			}
			_, err := t.Grant(t.Context(), t.id, 1, "")
			require.ErrorIs(t, err, ledger.ErrReason)
			_, err = t.Grant(t.Context(), "acc_nobody", 1, "because")
			require.ErrorIs(t, err, account.ErrNoAccount)
			t.requireBalance(0, 100)
		},
		"writes nothing for a deleted account": func(t book) {
			t.mustExec(`UPDATE accounts SET deleted_at = 1`)
			_, err := t.Grant(t.Context(), t.id, 1, "because")
			require.ErrorIs(t, err, account.ErrNoAccount)
			require.Zero(t, t.mustCount(`balances`)+t.mustCount(`entries`))
		},
		"adds to one month if the next one begins meanwhile": func(t book) {
			next := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
			t.clock.Set(next.Add(-time.Microsecond))
			now := func() time.Time { defer t.clock.Set(next); return t.clock.Now() }
			turning := ledger.New(t.store, ledger.Options{Plans: mustPlans(t), Now: now})
			b, err := turning.Grant(t.Context(), t.id, 40, "because")
			require.NoError(t, err)
			require.Equal(t, int64(140), b.Remaining)
			t.requireBalance(0, 100)
		},
	}.run(t)
}

func TestLedger_Usage(t *testing.T) {
	bookTests{
		"adds up settled extractions by day and key": func(t book) {
			a, b := t.mustKey(nil), t.mustKey(nil)
			charge := func(at time.Time, req ledger.HoldRequest) {
				t.clock.Set(at)
				t.mustCharge(req, "")
			}
			first := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
			last := time.Date(2026, time.March, 31, 23, 59, 59, 999999000, time.UTC)
			charge(first, t.by(a))
			charge(first.Add(24*time.Hour-time.Microsecond), t.by(b))
			charge(first.Add(24*time.Hour), t.by(b))
			charge(last, t.request())
			require.NoError(t, t.Release(t.Context(), t.mustHold(t.by(a))))
			charge(last.Add(time.Microsecond), t.by(a))

			day := func(n int) time.Time { return time.Date(2026, time.March, n, 0, 0, 0, 0, time.UTC) }
			t.requireUsage(ledger.ByDay, []ledger.Use{
				{AccountID: t.id, Day: day(1), Extractions: 2, Points: 20},
				{AccountID: t.id, Day: day(2), Extractions: 1, Points: 10},
				{AccountID: t.id, Day: day(31), Extractions: 1, Points: 10},
			})
			byKey, err := t.Usage(t.Context(), t.id, midMarch, ledger.ByKey)
			require.NoError(t, err)
			require.Equal(t, ledger.Use{AccountID: t.id, KeyID: b.ID, Extractions: 2, Points: 20}, byKey[0])
			require.ElementsMatch(t, []string{b.ID, a.ID, ""}, []string{byKey[0].KeyID, byKey[1].KeyID, byKey[2].KeyID})
			both, err := t.Usage(t.Context(), t.id, midMarch, ledger.ByDayAndKey)
			require.NoError(t, err)
			require.Len(t, both, 4)
			months, err := t.Months(t.Context(), t.id)
			require.NoError(t, err)
			require.Equal(t, []time.Time{day(32), day(1)}, months)
			require.Equal(t, "2026-04", ledger.MonthOf(months[0]))
		},
	}.run(t)
}

func TestLedger_Usage_Bounds(t *testing.T) {
	bookTests{
		"does not show an account the usage of another": func(t book) {
			other, err := t.registry.Create(t.Context(), "Another archive", "hundred")
			require.NoError(t, err)
			k := t.mustKey(new(int64(50)))
			t.mustCharge(t.by(k), "")
			for _, by := range []ledger.Grouping{ledger.ByDay, ledger.ByKey, ledger.ByDayAndKey} {
				uses, err := t.Usage(t.Context(), other.ID, midMarch, by)
				require.NoError(t, err)
				require.Empty(t, uses)
			}
			months, err := t.Months(t.Context(), other.ID)
			require.NoError(t, err)
			require.Empty(t, months)
			meters, err := t.MeterUses(t.Context(), other.ID)
			require.NoError(t, err)
			require.Empty(t, meters)
		},
		"counts an extraction that ends in the next month on the day of its hold": func(t book) {
			april := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
			t.clock.Set(april.Add(-time.Second))
			h := t.mustHold(t.request())
			t.clock.Set(april)
			t.mustSettle(h, "")
			t.requireUsage(ledger.ByDay, []ledger.Use{
				{AccountID: t.id, Day: time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC), Extractions: 1, Points: 10},
			})
		},
	}.run(t)
}

func (b book) requireUsage(by ledger.Grouping, want []ledger.Use) {
	b.Helper()
	got, err := b.Usage(b.Context(), b.id, midMarch, by)
	require.NoError(b, err)
	require.Equal(b, want, got)
}
