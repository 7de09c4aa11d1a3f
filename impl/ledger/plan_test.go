package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ledger"
)

func TestLedger_ChangePlan(t *testing.T) { ledgerChangePlanTests.run(t) }

var ledgerChangePlanTests = bookTests{
	"applies at once and takes nothing that is used or held": func(t book) {
		change := func(plan string) ledger.Balance {
			balance, err := t.ChangePlan(t.Context(), t.id, plan)
			require.NoError(t, err)
			return balance
		}
		require.Equal(t, int64(1000), change("thousand").Total, "before the first hold")
		t.requireBalance(0, 1000)
		require.Equal(t, int64(100), change("hundred").Total)

		t.mustCharge(t.request(), "")
		require.Equal(t, int64(990), change("thousand").Remaining, "an upgrade applies at once")
		t.requireBalance(10, 1000)

		t.mustHold(t.request())
		require.Equal(t, int64(30), change("fifty").Remaining, "a downgrade applies at once")
		t.requireBalance(20, 50)

		change("thousand")
		for range 5 {
			t.mustCharge(t.request(), "")
		}
		h := t.mustHold(t.request())
		require.Equal(t, int64(0), change("fifty").Remaining, "a downgrade takes nothing that is used or held")
		t.requireBalance(80, 80)
		_, err := t.Hold(t.Context(), t.request())
		var insufficient *ledger.InsufficientError
		require.ErrorAs(t, err, &insufficient)
		t.mustSettle(h, "")
		t.requireBalance(80, 80)

		a, err := t.registry.Find(t.Context(), t.id)
		require.NoError(t, err)
		require.Equal(t, "fifty", a.Plan)
		t.clock.Set(midMarch.AddDate(0, 1, 0))
		t.requireBalance(0, 50)
	},
	"refuses unknown plans and accounts": func(t book) {
		_, err := t.ChangePlan(t.Context(), t.id, "gold")
		require.ErrorIs(t, err, account.ErrPlan)
		_, err = t.ChangePlan(t.Context(), "acc_nobody", "fifty")
		require.ErrorIs(t, err, account.ErrNoAccount)
		t.requireBalance(0, 100)
	},
}
