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

func TestLedger_Hold_racingRequestsNeverOverspend(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			errs := race(256, func(int) error {
				h, err := b.Hold(t.Context(), b.request())
				if err != nil {
					return err
				}
				_, err = b.Settle(t.Context(), h, nil)
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
			b.requireBalance(t, 100, 100)
		})
	}
}

func TestLedger_Hold_racingReplicasNeverOverspend(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			st := storetest.MustOpen(t, url)
			storetest.MustMigrate(t, st)
			b := mustBook(t, st)
			replicas := make([]*ledger.Ledger, 4)
			for i := range replicas {
				replicas[i] = ledger.New(storetest.MustOpen(t, url), ledger.Options{Plans: mustPlans(t), Now: b.clock.Now})
			}
			granted := 0
			for _, err := range race(64, func(i int) error {
				_, err := replicas[i%len(replicas)].Hold(t.Context(), b.request())
				return err
			}) {
				if err == nil {
					granted++
				}
			}
			require.Equal(t, 10, granted)
			b.requireBalance(t, 100, 100)
		})
	}
}

func TestLedger_Hold_racingWithOneKeyTakesOneHold(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			holds := make(chan ledger.Hold, 64)
			for _, err := range race(64, func(int) error {
				h, err := b.Hold(t.Context(), b.keyed("one", "body"))
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
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_Acquire_racingWithOneKeyAnswersAllAlike(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			charged := make(chan struct{}, 32)
			for _, err := range race(32, func(int) error {
				h, err := b.Acquire(ctx, b.keyed("one", "body"))
				if err != nil {
					return err
				}
				charged <- struct{}{}
				time.Sleep(30 * time.Millisecond) // the work that the others wait for
				_, err = b.Settle(ctx, h, func(ledger.Balance) ([]byte, error) { return []byte("the answer"), nil })
				return err
			}) {
				if err != nil {
					var replay *ledger.ReplayError
					require.ErrorAs(t, err, &replay)
					require.Equal(t, "the answer", string(replay.Answer))
				}
			}
			require.Len(t, charged, 1)
			b.requireBalance(t, 10, 100)
		})
	}
}

func TestLedger_Acquire_afterAFailureTheNextOneTries(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, err := range race(8, func(int) error {
				h, err := b.Acquire(ctx, b.keyed("one", "body"))
				if err != nil {
					return err
				}
				return b.Release(ctx, h) // each attempt fails
			}) {
				require.NoError(t, err)
			}
			b.requireBalance(t, 0, 100)
		})
	}
}

// A hold ends in exactly one way, whoever tries to end it.
func TestLedger_Settle_racesAgainstReleaseAndExpiry(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			const holds = 10
			for range 5 {
				b.clock.Set(midMarch)
				var taken []ledger.Hold
				for range holds {
					h := b.mustHold(t, ledger.HoldRequest{AccountID: b.id, Points: 1, TTL: time.Second})
					taken = append(taken, h)
				}
				before, err := b.Balance(t.Context(), b.id)
				require.NoError(t, err)
				errs := race(4*holds, func(i int) error {
					h := taken[i%holds]
					switch i / holds {
					case 0:
						_, err := b.Settle(t.Context(), h, nil)
						return err
					case 1:
						return b.Release(t.Context(), h)
					case 2:
						b.clock.Set(h.Expires) // whoever looks from now on finds it overdue
					}
					_, err := b.Expire(t.Context(), holds)
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
				b.requireBalance(t, before.Used-holds+int64(settled), 100)
			}
		})
	}
}

func TestLedger_ChangePlan_racesAgainstTheFirstHold(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for month := range 6 {
				b.clock.Set(midMarch.AddDate(0, month, 0))
				plan, total := "thousand", int64(1000)
				if month%2 == 1 {
					plan, total = "hundred", 100
				}
				for _, err := range race(4, func(i int) error {
					if i == 0 {
						_, err := b.ChangePlan(t.Context(), b.id, plan)
						return err
					}
					_, err := b.Hold(t.Context(), b.request())
					return err
				}) {
					require.NoError(t, err)
				}
				b.requireBalance(t, 30, total)
			}
		})
	}
}

// A hold that is extended in time is never given back under its owner's hands.
func TestLedger_Extend_racesAgainstExpiry(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			b := mustBook(t, db.MustOpen(t))
			for range 10 {
				h := b.mustHold(t, b.request())
				b.clock.Set(h.Expires.Add(-time.Microsecond))
				ahead := ledger.New(b.store, ledger.Options{
					Plans: mustPlans(t), Now: func() time.Time { return b.clock.Now().Add(time.Second) },
				})
				errs := race(4, func(i int) error {
					if i == 0 {
						return b.Extend(t.Context(), h, time.Minute)
					}
					_, err := ahead.Expire(t.Context(), 10)
					return err
				})
				require.NoError(t, errors.Join(errs[1:]...))
				_, err := b.Settle(t.Context(), h, nil)
				if errs[0] == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, errs[0], ledger.ErrExpired)
					require.ErrorIs(t, err, ledger.ErrExpired)
				}
				_, err = b.ChangePlan(t.Context(), b.id, "thousand")
				require.NoError(t, err)
			}
			b.requireAudit(t)
		})
	}
}
