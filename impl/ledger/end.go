package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/store"
)

// States of a hold, as the database stores them. Only the state held can change.
const (
	held     = "held"
	settled  = "settled"
	released = "released"
	expired  = "expired"
)

// Settle charges a hold to the period it was taken in, and in the same transaction stores the reply for replay if the hold has
// an idempotency key. makeReply gets the balance after the charge; it must be quick and have no other effect, because it may be
// called more than once. It may be nil for holds without an idempotency key.
//
// An expired hold is never charged: ErrExpired. Other errors: ErrEnded, makeReply's, *store.Error. After an error nothing
// is charged and the hold is unchanged.
func (l *Ledger) Settle(ctx context.Context, h Hold, makeReply func(Balance) ([]byte, error)) (Balance, error) {
	if err := ctx.Err(); err != nil {
		return Balance{}, fmt.Errorf("settle: %w", err)
	}
	var b Balance
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		now := l.now()
		r, err := charge(ctx, x, h)
		if errors.Is(err, store.ErrNoRows) {
			return whyEnded(ctx, x, h)
		}
		if err != nil {
			return err
		}
		limit, taken, err := h.chargeMeter(ctx, x)
		if errors.Is(err, store.ErrNoRows) {
			return whyEnded(ctx, x, h)
		}
		if err != nil {
			return err
		}
		if b, err = l.balanceAfter(ctx, x, h, r.balance(now).capped(limit, taken), now); err != nil {
			return err
		}
		reply, err := h.reply(b, makeReply)
		if err != nil {
			return err
		}
		if err := l.finish(ctx, x, h, settled, now, reply); err != nil {
			return err
		}
		return r.insertEntry(ctx, x, h.AccountID, h.Period, entry{kind: "settle", holdID: h.ID}, now)
	})
	if err != nil {
		return Balance{}, fmt.Errorf("settle: %w", err)
	}
	return b, nil
}

// charge moves the points of a hold from held to used. Errors: store.ErrNoRows if the balance does not hold them,
// *store.Error.
func charge(ctx context.Context, x store.Executor, h Hold) (row, error) {
	return updateBalance(ctx, x, `UPDATE balances SET held = held - $3, used = used + $3, seq = seq + 1
		WHERE account_id = $1 AND period = $2 AND held >= $3`, h.AccountID, h.Period, h.Points)
}

// balanceAfter returns the balance of the current month, which is b unless a new month has begun since the hold.
func (l *Ledger) balanceAfter(ctx context.Context, x store.Executor, h Hold, b Balance, now time.Time) (Balance, error) {
	if h.Period == MonthOf(now) {
		return b, nil
	}
	return l.current(ctx, x, h.AccountID, h.MeterID, now)
}

// reply makes the reply and returns what to store: nothing for holds without an idempotency key.
func (h Hold) reply(b Balance, makeReply func(Balance) ([]byte, error)) ([]byte, error) {
	if makeReply == nil {
		return nil, nil
	}
	data, err := makeReply(b)
	if err != nil || !h.replayable {
		return nil, err
	}
	return data, nil
}

// endConditions say when a running hold may end. It can be settled only before its expiry. Expiring checks the time again,
// because the hold may have been extended after it was found overdue.
var endConditions = map[string]string{
	settled:  ` AND expires_at > $3`,
	released: ``,
	expired:  ` AND expires_at <= $3`,
}

// finish changes the state of a running hold. Only a settled hold keeps its idempotency key, for the lifetime of its reply.
// Errors: ErrExpired, ErrEnded, *store.Error.
func (l *Ledger) finish(ctx context.Context, x store.Executor, h Hold, state string, now time.Time, reply []byte) error {
	var until store.Instant
	forget := `, idempotency_key = NULL, fingerprint = NULL`
	if state == settled && h.replayable {
		until, forget = store.At(now.Add(l.replyTTL)), ``
	}
	n, err := x.Exec(ctx, `UPDATE holds SET state = $2, ended_at = $3, answer = $4, answer_until = $5`+forget+`
		WHERE id = $1 AND state = 'held'`+endConditions[state], h.ID, state, store.At(now), reply, until)
	if err == nil && n == 0 {
		return whyEnded(ctx, x, h)
	}
	return err
}

// whyEnded returns why a hold can no longer change: ErrExpired, ErrEnded or *store.Error.
func whyEnded(ctx context.Context, x store.Executor, h Hold) error {
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

// Release returns the points of a hold and frees its idempotency key. It works even after ctx has ended, which is often
// the reason to release. Releasing a hold that has ended in any way does nothing. Errors: *store.Error.
func (l *Ledger) Release(ctx context.Context, h Hold) error {
	_, err := l.returnPoints(context.WithoutCancel(ctx), h, released)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// returnPoints ends a running hold without a charge, as released or expired. It reports whether this call ended the hold.
func (l *Ledger) returnPoints(ctx context.Context, h Hold, state string) (bool, error) {
	kind := map[string]string{released: "release", expired: "expire"}[state]
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		now := l.now()
		r, err := updateBalance(ctx, x, `UPDATE balances SET held = held - $3, seq = seq + 1
			WHERE account_id = $1 AND period = $2 AND held >= $3`, h.AccountID, h.Period, h.Points)
		if errors.Is(err, store.ErrNoRows) {
			return ErrEnded
		}
		if err != nil {
			return err
		}
		if err := l.finish(ctx, x, h, state, now, nil); err != nil {
			return err
		}
		if err := h.returnToMeter(ctx, x); err != nil {
			return err
		}
		return r.insertEntry(ctx, x, h.AccountID, h.Period, entry{kind: kind, points: h.Points, holdID: h.ID}, now)
	})
	if errors.Is(err, ErrEnded) || errors.Is(err, ErrExpired) {
		return false, nil
	}
	return err == nil, err
}
