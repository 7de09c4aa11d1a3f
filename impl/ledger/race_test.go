package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/impl/store/storetest"
)

func TestLedger_Race(t *testing.T) { ledgerRaceTests.run(t) }

var ledgerRaceTests = bookTests{
	"never overspends in one process": func(t book) {
		errs := race(256, func(int) error {
			h, err := t.Hold(t.Context(), t.request())
			if err != nil {
				return err
			}
			_, err = t.Settle(t.Context(), h, nil)
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
		t.requireBalance(100, 100)
	},
	"never overspends across replicas": func(t book) {
		replicas := make([]*ledger.Ledger, 4)
		for i := range replicas {
			replicas[i] = ledger.New(storetest.MustOpen(t, t.url), ledger.Options{Plans: mustPlans(t), Now: t.clock.Now})
		}
		granted := 0
		for _, err := range race(64, func(i int) error {
			_, err := replicas[i%len(replicas)].Hold(t.Context(), t.request())
			return err
		}) {
			if err == nil {
				granted++
			}
		}
		require.Equal(t, 10, granted)
		t.requireBalance(100, 100)
	},
	"takes one hold for one idempotency key": func(t book) {
		holds := make(chan ledger.Hold, 64)
		for _, err := range race(64, func(int) error {
			h, err := t.Hold(t.Context(), t.keyed("one", "body"))
			if err == nil {
				holds <- h
			}
			return err
		}) {
			if err != nil {
				require.ErrorIs(t, err, ledger.ErrRunning)
			}
		}
		require.Len(t, holds, 1)
		t.requireBalance(10, 100)
	},
	"gives all requests with one idempotency key the same reply": func(t book) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		charged := make(chan struct{}, 32)
		for _, err := range race(32, func(int) error {
			h, err := t.HoldOrWait(ctx, t.keyed("one", "body"))
			if err != nil {
				return err
			}
			charged <- struct{}{}
			time.Sleep(30 * time.Millisecond) // the work that the other requests wait for
			_, err = t.Settle(ctx, h, reply("the reply"))
			return err
		}) {
			if err != nil {
				var replay *ledger.ReplayError
				require.ErrorAs(t, err, &replay)
				require.Equal(t, "the reply", string(replay.Reply))
			}
		}
		require.Len(t, charged, 1)
		t.requireBalance(10, 100)
	},
	"lets the next request try after a failure": func(t book) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		requireAll(t, race(8, func(int) error {
			h, err := t.HoldOrWait(ctx, t.keyed("one", "body"))
			if err != nil {
				return err
			}
			return t.Release(ctx, h) // as after a failure
		}))
		t.requireBalance(0, 100)
	},
	// A hold ends in exactly one way, even if several calls try to end it.
	"ends a hold in exactly one way": func(t book) {
		const holds = 10
		for range 5 {
			t.clock.Set(midMarch)
			var taken []ledger.Hold
			for range holds {
				h := t.mustHold(ledger.HoldRequest{AccountID: t.id, Points: 1, TTL: time.Second})
				taken = append(taken, h)
			}
			before, err := t.Balance(t.Context(), t.id)
			require.NoError(t, err)
			errs := race(4*holds, func(i int) error {
				h := taken[i%holds]
				switch i / holds {
				case 0:
					_, err := t.Settle(t.Context(), h, nil)
					return err
				case 1:
					return t.Release(t.Context(), h)
				case 2:
					t.clock.Set(h.Expires) // from now on the hold is overdue
				}
				_, err := t.Expire(t.Context(), holds)
				return err
			})
			settled := 0
			for i, err := range errs {
				if i >= holds {
					require.NoError(t, err)
				} else if err == nil {
					settled++
				} else {
					require.True(t, errors.Is(err, ledger.ErrExpired) || errors.Is(err, ledger.ErrEnded), err)
				}
			}
			t.requireBalance(before.Used-holds+int64(settled), 100)
		}
	},
	"keeps a change of plan that races with the first hold of a month": func(t book) {
		for month := range 6 {
			t.clock.Set(midMarch.AddDate(0, month, 0))
			plan, total := "thousand", int64(1000)
			if month%2 == 1 {
				plan, total = "hundred", 100
			}
			requireAll(t, race(4, func(i int) error {
				if i == 0 {
					_, err := t.ChangePlan(t.Context(), t.id, plan)
					return err
				}
				_, err := t.Hold(t.Context(), t.request())
				return err
			}))
			t.requireBalance(30, total)
		}
	},
	// A hold that is extended in time does not expire while its process works.
	"never expires a hold that was extended in time": func(t book) {
		for range 10 {
			h := t.mustHold(t.request())
			t.clock.Set(h.Expires.Add(-time.Microsecond))
			ahead := ledger.New(t.store, ledger.Options{
				Plans: mustPlans(t), Now: func() time.Time { return t.clock.Now().Add(time.Second) },
			})
			errs := race(4, func(i int) error {
				if i == 0 {
					return t.Extend(t.Context(), h, time.Minute)
				}
				_, err := ahead.Expire(t.Context(), 10)
				return err
			})
			require.NoError(t, errors.Join(errs[1:]...))
			_, err := t.Settle(t.Context(), h, nil)
			if errs[0] == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, errs[0], ledger.ErrExpired)
				require.ErrorIs(t, err, ledger.ErrExpired)
			}
			_, err = t.ChangePlan(t.Context(), t.id, "thousand")
			require.NoError(t, err)
		}
		t.requireAudit()
	},
}
