package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/account"
	"uncial/impl/store"
	"uncial/internal/contract"
)

// openPeriod creates the balance of the month of now with the allowance of the account's plan, unless it exists. It
// locks the account row first, as ChangePlan does: otherwise a change of plan between reading the plan and inserting the
// balance would be lost. Errors: account.ErrNoAccount, account.ErrPlan, *store.Error.
func (l *Ledger) openPeriod(ctx context.Context, x store.Executor, accountID string, now time.Time) error {
	var plan string
	err := x.Get(ctx, `UPDATE accounts SET plan = plan WHERE id = $1 RETURNING plan`, store.Args{accountID}, &plan)
	if errors.Is(err, store.ErrNoRows) {
		return account.ErrNoAccount
	}
	if err != nil {
		return err
	}
	allowance, err := l.plans.Plan(plan)
	if err != nil {
		return err
	}
	n, err := x.Exec(ctx, `INSERT INTO balances (account_id, period, total, used, held, seq)
		VALUES ($1, $2, $3, 0, 0, 1) ON CONFLICT (account_id, period) DO NOTHING`,
		accountID, MonthOf(now), allowance.Points)
	if err != nil || n == 0 {
		return err
	}
	r := row{total: allowance.Points, seq: 1}
	return r.insertEntry(ctx, x, accountID, MonthOf(now), entry{kind: "grant", points: r.total}, now)
}

// ChangePlan puts the account on another plan. The allowance of the current month changes at once, but never falls below the
// points used and held; granted points stay. Errors: account.ErrNoAccount (including for a deleted account), account.ErrPlan,
// *store.Error.
func (l *Ledger) ChangePlan(ctx context.Context, accountID, plan string) (Balance, error) {
	allowance, err := l.plans.Plan(plan)
	if err != nil {
		return Balance{}, err
	}
	var b Balance
	err = l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		n, err := x.Exec(ctx, `UPDATE accounts SET plan = $2 WHERE id = $1 AND deleted_at IS NULL`, accountID, plan)
		if err != nil {
			return err
		}
		if n == 0 {
			return account.ErrNoAccount
		}
		if err := l.adjust(ctx, x, accountID, allowance.Points); err != nil {
			return err
		}
		b, err = l.current(ctx, x, accountID, "", l.now())
		return err
	})
	if err != nil {
		return Balance{}, fmt.Errorf("change plan: %w", err)
	}
	return b, nil
}

// adjust sets the total of the current month to the allowance and the granted points, or to what is used and held if that is
// more. A month without a balance needs no change: its balance will be created with the new plan.
func (l *Ledger) adjust(ctx context.Context, x store.Executor, accountID string, allowance int64) error {
	now := l.now()
	// This statement also locks the row, so that used and held cannot grow before the total is set.
	r, err := updateBalance(ctx, x, `UPDATE balances SET seq = seq + 1 WHERE account_id = $1 AND period = $2`,
		accountID, MonthOf(now))
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	before := r.total
	r.total = max(allowance+r.granted, r.used+r.held)
	_, err = x.Exec(ctx, `UPDATE balances SET total = $3 WHERE account_id = $1 AND period = $2`,
		accountID, MonthOf(now), r.total)
	if err != nil {
		return err
	}
	return r.insertEntry(ctx, x, accountID, MonthOf(now), entry{kind: "adjust", points: r.total - before}, now)
}

// Grant adds points to the allowance of the current month only. reason appears in the entry; it has 1 to 200 printable
// characters. Errors: ErrPoints, ErrReason, account.ErrNoAccount (including for a deleted account), account.ErrPlan,
// *store.Error.
func (l *Ledger) Grant(ctx context.Context, accountID string, points int64, reason string) (Balance, error) {
	if points < 1 || points > contract.MaxPoints {
		return Balance{}, ErrPoints
	}
	if account.CheckName(reason) != nil {
		return Balance{}, ErrReason
	}
	var b Balance
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		now := l.now()
		err := x.ExecOr(ctx, account.ErrNoAccount, `UPDATE accounts SET plan = plan WHERE id = $1 AND deleted_at IS NULL`, accountID)
		if err != nil {
			return err
		}
		if err := l.openPeriod(ctx, x, accountID, now); err != nil {
			return err
		}
		r, err := updateBalance(ctx, x, `UPDATE balances SET total = total + $3, granted = granted + $3, seq = seq + 1
			WHERE account_id = $1 AND period = $2 AND total + $3 <= $4`, accountID, MonthOf(now), points, int64(contract.MaxPoints))
		if errors.Is(err, store.ErrNoRows) {
			return ErrPoints
		}
		if err != nil {
			return err
		}
		b = r.balance(now)
		return r.insertEntry(ctx, x, accountID, MonthOf(now), entry{kind: "grant", points: points, reason: reason}, now)
	})
	if err != nil {
		return Balance{}, fmt.Errorf("grant: %w", err)
	}
	return b, nil
}
