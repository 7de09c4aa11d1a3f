package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ledger"
)

func TestLedger_ChangePlan(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			change := func(plan string) ledger.Balance {
				balance, err := b.ChangePlan(t.Context(), b.id, plan)
				require.NoError(t, err)
				return balance
			}
			require.Equal(t, int64(1000), change("thousand").Total, "before the first hold")
			b.requireBalance(t, 0, 1000)
			require.Equal(t, int64(100), change("hundred").Total)

			b.mustSettle(t, b.mustHold(t, b.request()), "")
			require.Equal(t, int64(990), change("thousand").Remaining, "an upgrade is there at once")
			b.requireBalance(t, 10, 1000)

			b.mustHold(t, b.request())
			require.Equal(t, int64(30), change("fifty").Remaining, "a downgrade too")
			b.requireBalance(t, 20, 50)

			change("thousand")
			for range 5 {
				b.mustSettle(t, b.mustHold(t, b.request()), "")
			}
			h := b.mustHold(t, b.request())
			require.Equal(t, int64(0), change("fifty").Remaining, "but takes nothing that is used or held")
			b.requireBalance(t, 80, 80)
			_, err := b.Hold(t.Context(), b.request())
			var insufficient *ledger.InsufficientError
			require.ErrorAs(t, err, &insufficient)
			b.mustSettle(t, h, "")
			b.requireBalance(t, 80, 80)

			a, err := b.registry.Find(t.Context(), b.id)
			require.NoError(t, err)
			require.Equal(t, "fifty", a.Plan)
			b.clock.Set(midMarch.AddDate(0, 1, 0))
			b.requireBalance(t, 0, 50)
		})
	}
}

func TestLedger_ChangePlan_refuses(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			_, err := b.ChangePlan(t.Context(), b.id, "gold")
			require.ErrorIs(t, err, account.ErrPlan)
			_, err = b.ChangePlan(t.Context(), "acc_nobody", "fifty")
			require.ErrorIs(t, err, account.ErrNoAccount)
			b.requireBalance(t, 0, 100)
		})
	}
}
