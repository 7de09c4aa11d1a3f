package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/internal/contract"
)

func requireReplay(tb testing.TB, err error, reply string) {
	tb.Helper()
	var replay *ledger.ReplayError
	require.ErrorAs(tb, err, &replay)
	require.Equal(tb, reply, string(replay.Reply))
}

func TestLedger_Hold_Replay(t *testing.T) { ledgerHoldReplayTests.run(t) }

var ledgerHoldReplayTests = bookTests{
	"returns the stored reply": func(t book) {
		req := t.keyed("one", "body")
		t.mustCharge(req, "the reply")
		for range 3 {
			_, err := t.Hold(t.Context(), req)
			requireReplay(t, err, "the reply")
		}
		_, err := t.Hold(t.Context(), t.keyed("one", "another body"))
		require.ErrorIs(t, err, ledger.ErrIdempotencyKeyReused)
		t.requireBalance(10, 100)
	},
	"works without points": func(t book) {
		req := t.keyed("one", "body")
		req.Points = 100
		t.mustCharge(req, "the reply")
		_, err := t.Hold(t.Context(), req)
		requireReplay(t, err, "the reply")
		t.clock.Set(midMarch.AddDate(0, 0, 15).Add(13 * time.Hour)) // April; the answer is a fortnight old
		_, err = t.Hold(t.Context(), req)
		require.NoError(t, err)
	},
	"works across the end of a month": func(t book) {
		t.clock.Set(time.Date(2026, time.March, 31, 23, 59, 0, 0, time.UTC))
		t.mustCharge(t.keyed("one", "body"), "the reply")
		t.clock.Advance(time.Hour)
		_, err := t.Hold(t.Context(), t.keyed("one", "body"))
		requireReplay(t, err, "the reply")
		t.requireBalance(0, 100)
	},
	"compares keys byte by byte within an account": func(t book) {
		for _, key := range []string{"key", "KEY", "Key", "key ", "key%", "k_y"} {
			t.mustHold(t.keyed(key, "body"))
		}
		other, err := t.registry.Create(t.Context(), "Another", "hundred")
		require.NoError(t, err)
		req := t.keyed("key", "another body")
		req.AccountID = other.ID
		t.mustHold(req)
		t.requireBalance(60, 100)
	},
	"ends after a day": func(t book) {
		t.mustCharge(t.keyed("one", "body"), "the reply")
		answered := t.clock.Now().Truncate(time.Microsecond)
		t.clock.Set(answered.Add(contract.ReplyLifetime - time.Microsecond))
		swept, err := t.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, ledger.Swept{}, swept)
		_, err = t.Hold(t.Context(), t.keyed("one", "body"))
		requireReplay(t, err, "the reply")

		t.clock.Set(answered.Add(contract.ReplyLifetime))
		h := t.mustHold(t.keyed("one", "another body")) // before any sweep
		require.NoError(t, t.Release(t.Context(), h))

		t.mustCharge(t.keyed("two", "body"), "the reply")
		t.clock.Advance(contract.ReplyLifetime)
		swept, err = t.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, ledger.Swept{Forgotten: 1}, swept)
		var kept int
		require.NoError(t, t.store.Reader().Get(t.Context(), `SELECT COUNT(*) FROM holds WHERE answer IS NOT NULL
		OR idempotency_key IS NOT NULL OR fingerprint IS NOT NULL OR answer_until IS NOT NULL`, nil, &kept))
		require.Zero(t, kept)
		t.requireBalance(20, 100)
	},
	"needs a settled hold: release and expiry free the key": func(t book) {
		released := t.mustHold(t.keyed("one", "body"))
		_, err := t.Hold(t.Context(), t.keyed("one", "body"))
		require.ErrorIs(t, err, ledger.ErrRunning)
		_, err = t.Hold(t.Context(), t.keyed("one", "another body"))
		require.ErrorIs(t, err, ledger.ErrIdempotencyKeyReused)
		require.NoError(t, t.Release(t.Context(), released))

		expired := t.mustHold(t.keyed("one", "another body"))
		t.clock.Set(expired.Expires)
		settled := t.mustHold(t.keyed("one", "a third body")) // before any sweep
		require.NotEqual(t, expired.ID, settled.ID)
		_, err = t.Settle(t.Context(), expired, nil)
		require.ErrorIs(t, err, ledger.ErrExpired)
		t.mustSettle(settled, "the reply")
		_, err = t.Hold(t.Context(), t.keyed("one", "a third body"))
		requireReplay(t, err, "the reply")
		t.requireBalance(10, 100)
	},
}

func TestLedger_Wait(t *testing.T) {
	bookTests{"returns the reply of the first request": func(t book) {
		req := t.keyed("one", "body")
		wait := func(ctx context.Context) (string, error) {
			answer, err := t.Wait(ctx, t.id, *req.Idempotency)
			return string(answer), err
		}
		_, err := wait(t.Context())
		require.ErrorIs(t, err, ledger.ErrKeyFree, "never used")

		h := t.mustHold(req)
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err = wait(short)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = t.Wait(t.Context(), t.id, *t.keyed("one", "another body").Idempotency)
		require.ErrorIs(t, err, ledger.ErrIdempotencyKeyReused)

		go func() {
			time.Sleep(50 * time.Millisecond)
			_, err := t.Settle(t.Context(), h, reply("the reply"))
			if err != nil {
				t.Error(err)
			}
		}()
		answer, err := wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, "the reply", answer)

		req = t.keyed("two", "body")
		h = t.mustHold(req)
		t.clock.Set(h.Expires)
		_, err = wait(t.Context())
		require.ErrorIs(t, err, ledger.ErrKeyFree, "the hold has expired")
	}}.run(t)
}
