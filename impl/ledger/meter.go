package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
	"uncial/internal/contract"
)

// defaultPlaygroundCap is the monthly cap of an account's playground until an owner changes it: 100 images, so that a
// forgotten browser tab cannot use up a large plan.
const defaultPlaygroundCap = 100 * contract.Price

// PlaygroundMeter returns the ID of the meter that counts what the playground of an account spends, apart from its keys.
func PlaygroundMeter(accountID string) string { return "playground_" + accountID }

// SetPlaygroundCap changes the monthly cap of an account's playground, in points; nil removes it. Errors: account.ErrCap,
// account.ErrNoAccount, *store.Error.
func (l *Ledger) SetPlaygroundCap(ctx context.Context, accountID string, points *int64) error {
	if points != nil && (*points < 0 || *points > contract.MaxPoints) {
		return account.ErrCap
	}
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := l.addPlayground(ctx, x, accountID); err != nil {
			return err
		}
		_, err := x.Exec(ctx, `UPDATE meters SET cap = $2 WHERE id = $1`, PlaygroundMeter(accountID), points)
		return err
	})
	if err != nil {
		return fmt.Errorf("set the cap of the playground: %w", err)
	}
	return nil
}

// PlaygroundCap returns the monthly cap of an account's playground in points, which is 1,000 until an owner changes it; nil
// means no cap. Errors: *store.Error.
func (l *Ledger) PlaygroundCap(ctx context.Context, accountID string) (*int64, error) {
	var limit *int64
	err := l.store.Reader().Get(ctx, `SELECT cap FROM meters WHERE id = $1`, store.Args{PlaygroundMeter(accountID)}, &limit)
	if errors.Is(err, store.ErrNoRows) {
		points := int64(defaultPlaygroundCap)
		return &points, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cap of the playground: %w", err)
	}
	return limit, nil
}

// addPlayground makes the meter of an account's playground unless it exists. Errors: account.ErrNoAccount, *store.Error.
func (l *Ledger) addPlayground(ctx context.Context, x store.Executor, accountID string) error {
	return x.ExecOr(ctx, account.ErrNoAccount, `INSERT INTO meters (id, account_id, cap)
		SELECT $2, id, $3 FROM accounts WHERE id = $1 ON CONFLICT (id) DO UPDATE SET id = excluded.id`,
		accountID, PlaygroundMeter(accountID), int64(defaultPlaygroundCap))
}

// capped returns b, or the balance under the cap of a meter if fewer points are left there. limit is the cap, nil for none, and
// taken what is used and held under it.
func (b Balance) capped(limit *int64, taken int64) Balance {
	if limit == nil || *limit-taken >= b.Remaining {
		return b
	}
	// A cap that was lowered below the points used leaves none.
	return Balance{
		Used: min(taken, *limit), Remaining: max(0, *limit-taken), Total: *limit,
		NextReset: b.NextReset, LimitedBy: contract.LimitedByKey,
	}
}

// takeFromMeter counts the points of a new hold under its meter. Like the balance, the meter is changed by a conditional
// statement, so that racing holds cannot exceed the cap. remaining is the number of points that the account had before the
// hold. Errors: *InsufficientError, errNoMeter, *store.Error.
func (h Hold) takeFromMeter(ctx context.Context, x store.Executor, remaining int64, now time.Time) error {
	if h.MeterID == "" {
		return nil
	}
	n, err := x.Exec(ctx, `INSERT INTO meter_balances (meter_id, period, used, held)
		SELECT id, $2, 0, $3 FROM meters WHERE id = $1 AND (cap IS NULL OR cap >= $3)
		ON CONFLICT (meter_id, period) DO UPDATE SET held = meter_balances.held + excluded.held
		WHERE meter_balances.used + meter_balances.held + excluded.held
			<= (SELECT COALESCE(cap, $4) FROM meters WHERE id = $1)`,
		h.MeterID, h.Period, h.Points, int64(math.MaxInt64))
	if err != nil || n == 1 {
		return err
	}
	var limit *int64
	var taken int64
	err = x.Get(ctx, `SELECT m.cap, COALESCE(c.used + c.held, 0) FROM meters m
		LEFT JOIN meter_balances c ON c.meter_id = m.id AND c.period = $2 WHERE m.id = $1`,
		store.Args{h.MeterID, h.Period}, &limit, &taken)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return errNoMeter
	case err != nil:
		return err
	case limit == nil || *limit-taken >= h.Points: // the cap was raised in the meantime
		return errChanged
	}
	b := Balance{Remaining: remaining, NextReset: contract.NextReset(now), LimitedBy: contract.LimitedByAccount}
	return b.capped(limit, taken).insufficient()
}

// chargeMeter moves the points of a hold from held to used under its meter, and returns the cap and what is taken now.
func (h Hold) chargeMeter(ctx context.Context, x store.Executor) (limit *int64, taken int64, err error) {
	if h.MeterID == "" {
		return nil, 0, nil
	}
	err = x.Get(ctx, `UPDATE meter_balances SET held = held - $3, used = used + $3
		WHERE meter_id = $1 AND period = $2 AND held >= $3
		RETURNING (SELECT cap FROM meters WHERE id = $1), used + held`,
		store.Args{h.MeterID, h.Period, h.Points}, &limit, &taken)
	return limit, taken, err
}

// returnToMeter subtracts from its meter the points of a hold that ends without a charge.
func (h Hold) returnToMeter(ctx context.Context, x store.Executor) error {
	if h.MeterID == "" {
		return nil
	}
	_, err := x.Exec(ctx, `UPDATE meter_balances SET held = held - $3 WHERE meter_id = $1 AND period = $2 AND held >= $3`,
		h.MeterID, h.Period, h.Points)
	return err
}
