package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
)

func TestLedger_Settle(t *testing.T) { ledgerSettleTests.run(t) }

var ledgerSettleTests = bookTests{
	"changes nothing when the reply cannot be made": func(t book) {
		h := t.mustHold(t.keyed("one", "body"))
		failure := errors.New("cannot be written")
		_, err := t.Settle(t.Context(), h, func(balance ledger.Balance) ([]byte, error) {
			require.Equal(t, int64(90), balance.Remaining)
			return nil, failure
		})
		require.ErrorIs(t, err, failure)
		_, err = t.Hold(t.Context(), t.keyed("one", "body"))
		require.ErrorIs(t, err, ledger.ErrRunning, "the hold is unchanged")
		require.NoError(t, t.Release(t.Context(), h))
		t.requireBalance(0, 100)
	},
	"charges a hold once": func(t book) {
		h := t.mustHold(t.request())
		other := t.mustHold(t.request())
		t.mustSettle(h, "")
		_, err := t.Settle(t.Context(), h, nil)
		require.ErrorIs(t, err, ledger.ErrEnded)
		require.NoError(t, t.Release(t.Context(), h), "releasing after the end is not an error")
		t.requireBalance(20, 100)
		require.NoError(t, t.Release(t.Context(), other))
		require.NoError(t, t.Release(t.Context(), other))
		_, err = t.Settle(t.Context(), other, nil)
		require.ErrorIs(t, err, ledger.ErrEnded)
		t.requireBalance(10, 100)
	},
	"charges nothing once the hold has expired": func(t book) {
		overdue, swept := t.mustHold(t.request()), t.mustHold(t.keyed("one", "body"))
		t.clock.Set(overdue.Expires)
		_, err := t.Settle(t.Context(), overdue, nil)
		require.ErrorIs(t, err, ledger.ErrExpired, "before the sweep")
		t.requireBalance(20, 100)
		n, err := t.Expire(t.Context(), 100)
		require.NoError(t, err)
		require.Equal(t, 2, n)
		_, err = t.Settle(t.Context(), swept, nil)
		require.ErrorIs(t, err, ledger.ErrExpired, "after the sweep")
		t.requireBalance(0, 100)
	},
	"charges up to the last microsecond": func(t book) {
		h := t.mustHold(t.request())
		t.clock.Set(h.Expires.Add(-time.Microsecond))
		n, err := t.Expire(t.Context(), 100)
		require.NoError(t, err)
		require.Zero(t, n)
		t.mustSettle(h, "")
		t.requireBalance(10, 100)
	},
}

func TestLedger_Release(t *testing.T) {
	bookTests{"works after its caller has gone, unlike Hold and Settle": func(t book) {
		h := t.mustHold(t.request())
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := t.Hold(gone, t.request())
		require.ErrorIs(t, err, context.Canceled)
		_, err = t.Settle(gone, h, nil)
		require.ErrorIs(t, err, context.Canceled)
		t.requireBalance(10, 100)
		require.NoError(t, t.Release(gone, h), "Release still works")
		t.requireBalance(0, 100)
	}}.run(t)
}

func TestLedger_Expire(t *testing.T) { ledgerExpireTests.run(t) }

var ledgerExpireTests = bookTests{
	"takes the oldest first and no more than the limit": func(t book) {
		var holds []ledger.Hold
		for i := range 5 {
			req := t.request()
			req.TTL = time.Duration(5-i) * time.Minute
			holds = append(holds, t.mustHold(req))
		}
		t.clock.Advance(time.Hour)
		n, err := t.Expire(t.Context(), 2)
		require.NoError(t, err)
		require.Equal(t, 2, n)
		for i, want := range []string{"held", "held", "held", "expired", "expired"} {
			var state string
			require.NoError(t, t.store.Reader().Get(t.Context(), `SELECT state FROM holds WHERE id = $1`,
				[]any{holds[i].ID}, &state))
			require.Equal(t, want, state)
		}
		swept, err := t.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, ledger.Swept{Expired: 3}, swept)
		t.requireBalance(0, 100)
	},
	"happens within Hold when expired holds block the account": func(t book) {
		req := t.request()
		req.Points = 100
		h := t.mustHold(req)
		t.clock.Set(h.Expires)
		t.mustHold(req) // before any sweep
		t.requireBalance(100, 100)
	},
	"counts each hold once when replicas sweep together": func(t book) {
		for range 10 {
			t.mustHold(t.request())
		}
		t.clock.Advance(time.Hour)
		counts := make([]int, 4)
		requireAll(t, race(len(counts), func(i int) error {
			swept, err := t.Sweep(t.Context())
			counts[i] = swept.Expired
			return err
		}))
		require.Equal(t, 10, counts[0]+counts[1]+counts[2]+counts[3])
		t.requireBalance(0, 100)
	},
}

func TestLedger_Extend(t *testing.T) {
	bookTests{"keeps a hold alive, but never revives one": func(t book) {
		h := t.mustHold(t.request())
		for range 3 { // together longer than the TTL of the hold
			t.clock.Advance(40 * time.Second)
			require.NoError(t, t.Extend(t.Context(), h, time.Minute))
		}
		t.mustSettle(h, "")
		require.ErrorIs(t, t.Extend(t.Context(), h, time.Minute), ledger.ErrEnded)

		late := t.mustHold(t.request())
		t.clock.Set(late.Expires)
		require.ErrorIs(t, t.Extend(t.Context(), late, time.Minute), ledger.ErrExpired, "an expired hold stays expired")
		require.ErrorIs(t, t.Extend(t.Context(), late, 0), ledger.ErrTTL)
	}}.run(t)
}
