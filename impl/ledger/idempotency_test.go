package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/internal/contract"
)

func requireReplay(tb testing.TB, err error, answer string) {
	tb.Helper()
	var replay *ledger.ReplayError
	require.ErrorAs(tb, err, &replay)
	require.Equal(tb, answer, string(replay.Answer))
}

func TestLedger_Hold_replaysTheStoredAnswer(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			req := b.keyed("one", "body")
			b.mustSettle(t, b.mustHold(t, req), "the answer")
			for range 3 {
				_, err := b.Hold(t.Context(), req)
				requireReplay(t, err, "the answer")
			}
			_, err := b.Hold(t.Context(), b.keyed("one", "another body"))
			require.ErrorIs(t, err, ledger.ErrKeyReused)
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_Hold_replaysThoughNoPointsAreLeft(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			req := b.keyed("one", "body")
			req.Points = 100
			b.mustSettle(t, b.mustHold(t, req), "the answer")
			_, err := b.Hold(t.Context(), req)
			requireReplay(t, err, "the answer")
			b.clock.Set(midMarch.AddDate(0, 0, 15).Add(13 * time.Hour)) // April; the answer is a fortnight old
			_, err = b.Hold(t.Context(), req)
			require.NoError(t, err)
		})
	}
}

func TestLedger_Hold_replaysAcrossTheMonthsEnd(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			b.clock.Set(time.Date(2026, time.March, 31, 23, 59, 0, 0, time.UTC))
			b.mustSettle(t, b.mustHold(t, b.keyed("one", "body")), "the answer")
			b.clock.Advance(time.Hour)
			_, err := b.Hold(t.Context(), b.keyed("one", "body"))
			requireReplay(t, err, "the answer")
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_keysAreComparedByTheirBytesWithinAnAccount(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for _, key := range []string{"key", "KEY", "Key", "key ", "key%", "k_y"} {
				b.mustHold(t, b.keyed(key, "body"))
			}
			other, err := b.registry.Create(t.Context(), "Another", "hundred")
			require.NoError(t, err)
			req := b.keyed("key", "another body")
			req.AccountID = other.ID
			b.mustHold(t, req)
			b.requireBalance(t, 60, 100)
		})
	}
}

func TestLedger_anAnswerIsKeptForADay(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			b.mustSettle(t, b.mustHold(t, b.keyed("one", "body")), "the answer")
			answered := b.clock.Now().Truncate(time.Microsecond)
			b.clock.Set(answered.Add(contract.ReplyLifetime - time.Microsecond))
			swept, err := b.Sweep(t.Context())
			require.NoError(t, err)
			require.Equal(t, ledger.Swept{}, swept)
			_, err = b.Hold(t.Context(), b.keyed("one", "body"))
			requireReplay(t, err, "the answer")

			b.clock.Set(answered.Add(contract.ReplyLifetime))
			h := b.mustHold(t, b.keyed("one", "another body")) // before any sweep
			require.NoError(t, b.Release(t.Context(), h))

			b.mustSettle(t, b.mustHold(t, b.keyed("two", "body")), "the answer")
			b.clock.Advance(contract.ReplyLifetime)
			swept, err = b.Sweep(t.Context())
			require.NoError(t, err)
			require.Equal(t, ledger.Swept{Forgotten: 1}, swept)
			var kept int
			require.NoError(t, b.store.Reader().Get(t.Context(), `SELECT COUNT(*) FROM holds WHERE answer IS NOT NULL
			OR idempotency_key IS NOT NULL OR fingerprint IS NOT NULL OR answer_until IS NOT NULL`, nil, &kept))
			require.Zero(t, kept)
			b.requireBalance(t, 20, 100)
		})
	}
}

func TestLedger_onlySuccessTakesTheKey(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			released := b.mustHold(t, b.keyed("one", "body"))
			_, err := b.Hold(t.Context(), b.keyed("one", "body"))
			require.ErrorIs(t, err, ledger.ErrRunning)
			_, err = b.Hold(t.Context(), b.keyed("one", "another body"))
			require.ErrorIs(t, err, ledger.ErrKeyReused)
			require.NoError(t, b.Release(t.Context(), released))

			expired := b.mustHold(t, b.keyed("one", "another body"))
			b.clock.Set(expired.Expires)
			settled := b.mustHold(t, b.keyed("one", "a third body")) // though no sweep has come by
			require.NotEqual(t, expired.ID, settled.ID)
			_, err = b.Settle(t.Context(), expired, nil)
			require.ErrorIs(t, err, ledger.ErrExpired)
			b.mustSettle(t, settled, "the answer")
			_, err = b.Hold(t.Context(), b.keyed("one", "a third body"))
			requireReplay(t, err, "the answer")
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_Settle_keepsNoAnswerThatCouldNotBeMade(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			h := b.mustHold(t, b.keyed("one", "body"))
			failure := errors.New("cannot be written")
			_, err := b.Settle(t.Context(), h, func(balance ledger.Balance) ([]byte, error) {
				require.Equal(t, int64(90), balance.Remaining)
				return nil, failure
			})
			require.ErrorIs(t, err, failure)
			_, err = b.Hold(t.Context(), b.keyed("one", "body"))
			require.ErrorIs(t, err, ledger.ErrRunning, "the hold is as it was")
			require.NoError(t, b.Release(t.Context(), h))
			b.requireBalance(t, 0, 100)
		})
	}
}

func TestLedger_Wait(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			req := b.keyed("one", "body")
			wait := func(ctx context.Context) (string, error) {
				answer, err := b.Wait(ctx, b.id, *req.Idempotency)
				return string(answer), err
			}
			_, err := wait(t.Context())
			require.ErrorIs(t, err, ledger.ErrFree, "never used")

			h := b.mustHold(t, req)
			short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err = wait(short)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, err = b.Wait(t.Context(), b.id, *b.keyed("one", "another body").Idempotency)
			require.ErrorIs(t, err, ledger.ErrKeyReused)

			go func() {
				time.Sleep(50 * time.Millisecond)
				_, err := b.Settle(t.Context(), h, func(ledger.Balance) ([]byte, error) { return []byte("the answer"), nil })
				if err != nil {
					t.Error(err)
				}
			}()
			answer, err := wait(t.Context())
			require.NoError(t, err)
			require.Equal(t, "the answer", answer)

			req = b.keyed("two", "body")
			h = b.mustHold(t, req)
			b.clock.Set(h.Expires)
			_, err = wait(t.Context())
			require.ErrorIs(t, err, ledger.ErrFree, "its process has died")
		})
	}
}
