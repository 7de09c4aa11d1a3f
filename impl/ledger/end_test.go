package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
)

func TestLedger_Settle_happensOnce(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			h := b.mustHold(t, b.request())
			other := b.mustHold(t, b.request())
			b.mustSettle(t, h, "")
			_, err := b.Settle(t.Context(), h, nil)
			require.ErrorIs(t, err, ledger.ErrEnded)
			require.NoError(t, b.Release(t.Context(), h), "too late, and no fault")
			b.requireBalance(t, 20, 100)
			require.NoError(t, b.Release(t.Context(), other))
			require.NoError(t, b.Release(t.Context(), other))
			_, err = b.Settle(t.Context(), other, nil)
			require.ErrorIs(t, err, ledger.ErrEnded)
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_Settle_tooLateChargesNothing(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			overdue, swept := b.mustHold(t, b.request()), b.mustHold(t, b.keyed("one", "body"))
			b.clock.Set(overdue.Expires)
			_, err := b.Settle(t.Context(), overdue, nil)
			require.ErrorIs(t, err, ledger.ErrExpired, "before the sweep")
			b.requireBalance(t, 20, 100)
			n, err := b.Expire(t.Context(), 100)
			require.NoError(t, err)
			require.Equal(t, 2, n)
			_, err = b.Settle(t.Context(), swept, nil)
			require.ErrorIs(t, err, ledger.ErrExpired, "after the sweep")
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_Settle_upToTheLastMicrosecond(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			h := b.mustHold(t, b.request())
			b.clock.Set(h.Expires.Add(-time.Microsecond))
			n, err := b.Expire(t.Context(), 100)
			require.NoError(t, err)
			require.Zero(t, n)
			b.mustSettle(t, h, "")
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_callersWhoHaveGone(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			h := b.mustHold(t, b.request())
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := b.Hold(gone, b.request())
			require.ErrorIs(t, err, context.Canceled)
			_, err = b.Settle(gone, h, nil)
			require.ErrorIs(t, err, context.Canceled)
			b.requireBalance(t, 10, 100)
			require.NoError(t, b.Release(gone, h), "to release is what is left to do")
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_Expire_theOldestFirstAndNoMoreThanAsked(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			var holds []ledger.Hold
			for i := range 5 {
				req := b.request()
				req.TTL = time.Duration(5-i) * time.Minute
				holds = append(holds, b.mustHold(t, req))
			}
			b.clock.Advance(time.Hour)
			n, err := b.Expire(t.Context(), 2)
			require.NoError(t, err)
			require.Equal(t, 2, n)
			for i, want := range []string{"held", "held", "held", "expired", "expired"} {
				var state string
				require.NoError(t, b.store.Reader().Get(t.Context(), `SELECT state FROM holds WHERE id = $1`,
					[]any{holds[i].ID}, &state))
				require.Equal(t, want, state)
			}
			swept, err := b.Sweep(t.Context())
			require.NoError(t, err)
			require.Equal(t, ledger.Swept{Expired: 3}, swept)
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_Hold_isNotTurnedAwayByDeadProcesses(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			req := b.request()
			req.Points = 100
			h := b.mustHold(t, req)
			b.clock.Set(h.Expires)
			b.mustHold(t, req) // no sweep has come by
			b.requireBalance(t, 100, 100)
		})
	}
}

func TestLedger_Sweep_byManyReplicas(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for range 10 {
				b.mustHold(t, b.request())
			}
			b.clock.Advance(time.Hour)
			counts := make([]int, 4)
			for _, err := range race(len(counts), func(i int) error {
				swept, err := b.Sweep(t.Context())
				counts[i] = swept.Expired
				return err
			}) {
				require.NoError(t, err)
			}
			require.Equal(t, 10, counts[0]+counts[1]+counts[2]+counts[3])
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_Extend(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			h := b.mustHold(t, b.request())
			for range 3 { // together longer than the hold was taken for
				b.clock.Advance(40 * time.Second)
				require.NoError(t, b.Extend(t.Context(), h, time.Minute))
			}
			b.mustSettle(t, h, "")
			require.ErrorIs(t, b.Extend(t.Context(), h, time.Minute), ledger.ErrEnded)

			late := b.mustHold(t, b.request())
			b.clock.Set(late.Expires)
			require.ErrorIs(t, b.Extend(t.Context(), late, time.Minute), ledger.ErrExpired, "what has run out stays so")
			require.ErrorIs(t, b.Extend(t.Context(), late, 0), ledger.ErrTTL)
		})
	}
}
