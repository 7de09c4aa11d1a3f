package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/store"
	"uncial/internal/contract"
)

// The states of a hold.
const (
	held     = "held"
	settled  = "settled"
	released = "released"
	expired  = "expired"
)

// Settle charges a hold, in the period it was taken in, and keeps the answer for replay if the hold came with an
// idempotency key: both or neither. answer makes it from the current balance, which has the hold settled; it must be
// quick and without other effect, for it may be called more than once. A nil answer is for holds without a key.
//
// A hold past its time is never charged: ErrExpired. Other errors: ErrEnded, answer's, *store.Error. After an error
// nothing is charged and the hold is as it was.
func (l *Ledger) Settle(ctx context.Context, h Hold, answer func(Balance) ([]byte, error)) (Balance, error) {
	if err := ctx.Err(); err != nil {
		return Balance{}, fmt.Errorf("settle: %w", err)
	}
	var b Balance
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		now := l.now()
		r, err := charge(ctx, x, h)
		if errors.Is(err, store.ErrNoRows) {
			return ended(ctx, x, h)
		}
		if err != nil {
			return err
		}
		if b, err = l.balanceAfter(ctx, x, h, r, now); err != nil {
			return err
		}
		kept, err := h.keep(b, answer)
		if err != nil {
			return err
		}
		if err := finish(ctx, x, h, settled, now, kept); err != nil {
			return err
		}
		return r.write(ctx, x, h.AccountID, h.Period, entry{kind: "settle", holdID: h.ID}, now)
	})
	if err != nil {
		return Balance{}, fmt.Errorf("settle: %w", err)
	}
	return b, nil
}

func charge(ctx context.Context, x store.Executor, h Hold) (row, error) {
	var r row
	err := x.Get(ctx, `UPDATE balances SET held = held - $3, used = used + $3, seq = seq + 1
		WHERE account_id = $1 AND period = $2 AND held >= $3
		RETURNING total, used, held, seq`,
		store.Args{h.AccountID, h.Period, h.Points}, &r.total, &r.used, &r.held, &r.seq)
	return r, err
}

// balanceAfter is the balance of the current period, which is not the hold's if the month has ended meanwhile.
func (l *Ledger) balanceAfter(ctx context.Context, x store.Executor, h Hold, r row, now time.Time) (Balance, error) {
	if h.Period == periodOf(now) {
		return r.balance(now), nil
	}
	return l.current(ctx, x, h.AccountID, now)
}

// keep makes the answer, and returns it only where it is to be stored.
func (h Hold) keep(b Balance, answer func(Balance) ([]byte, error)) ([]byte, error) {
	if answer == nil {
		return nil, nil
	}
	data, err := answer(b)
	if err != nil || !h.replayable {
		return nil, err
	}
	return data, nil
}

// The conditions under which a running hold may end: a charge comes in time, an expiry does not come before it, since
// the hold may have been extended after it was found overdue.
var onlyIf = map[string]string{
	settled:  ` AND expires_at > $3`,
	released: ``,
	expired:  ` AND expires_at <= $3`,
}

// finish ends a running hold. Only a settled one keeps its idempotency key.
func finish(ctx context.Context, x store.Executor, h Hold, state string, now time.Time, answer []byte) error {
	var until store.Instant
	forget := `, idempotency_key = NULL, fingerprint = NULL`
	if state == settled && h.replayable {
		until, forget = store.At(now.Add(contract.ReplyLifetime)), ``
	}
	n, err := x.Exec(ctx, `UPDATE holds SET state = $2, ended_at = $3, answer = $4, answer_until = $5`+forget+`
		WHERE id = $1 AND state = 'held'`+onlyIf[state], h.ID, state, store.At(now), answer, until)
	if err == nil && n == 0 {
		return ended(ctx, x, h)
	}
	return err
}

// ended says why a hold could not be ended now.
func ended(ctx context.Context, x store.Executor, h Hold) error {
	var state string
	err := x.Get(ctx, `SELECT state FROM holds WHERE id = $1`, store.Args{h.ID}, &state)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return err
	}
	if state == held || state == expired {
		return ErrExpired
	}
	return ErrEnded
}

// Release gives a hold's points back and frees its idempotency key. It is done even where ctx has ended, since the
// reason to release is often just that. Releasing a hold that has ended, whichever way, does nothing.
func (l *Ledger) Release(ctx context.Context, h Hold) error {
	_, err := l.giveBack(context.WithoutCancel(ctx), h, released)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// giveBack ends a running hold without a charge. It reports whether it was this call that did.
func (l *Ledger) giveBack(ctx context.Context, h Hold, state string) (bool, error) {
	kind := map[string]string{released: "release", expired: "expire"}[state]
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		now := l.now()
		var r row
		err := x.Get(ctx, `UPDATE balances SET held = held - $3, seq = seq + 1
			WHERE account_id = $1 AND period = $2 AND held >= $3
			RETURNING total, used, held, seq`,
			store.Args{h.AccountID, h.Period, h.Points}, &r.total, &r.used, &r.held, &r.seq)
		if errors.Is(err, store.ErrNoRows) {
			return ErrEnded
		}
		if err != nil {
			return err
		}
		if err := finish(ctx, x, h, state, now, nil); err != nil {
			return err
		}
		return r.write(ctx, x, h.AccountID, h.Period, entry{kind: kind, points: h.Points, holdID: h.ID}, now)
	})
	if errors.Is(err, ErrEnded) || errors.Is(err, ErrExpired) {
		return false, nil
	}
	return err == nil, err
}
