package ledger

import (
	"context"
	"fmt"

	"uncial/impl/store"
)

const (
	expireBatch  = 100
	forgetBatch  = 500
	sweepBatches = 100 // so that one sweep ends; the next goes on
)

// Swept is what a sweep did.
type Swept struct {
	Expired   int `json:"expired"`   // holds given back
	Forgotten int `json:"forgotten"` // stored answers deleted
}

// Sweep gives back holds past their time and deletes stored answers past theirs. Any number of replicas may sweep at
// once; call it every half a minute or so.
func (l *Ledger) Sweep(ctx context.Context) (Swept, error) {
	var s Swept
	for range sweepBatches {
		n, err := l.Expire(ctx, expireBatch)
		s.Expired += n
		if err != nil {
			return s, err
		}
		if n < expireBatch {
			break
		}
	}
	for range sweepBatches {
		n, err := l.forget(ctx, forgetBatch)
		s.Forgotten += n
		if err != nil {
			return s, err
		}
		if n < forgetBatch {
			break
		}
	}
	return s, nil
}

// Expire gives back at most limit holds that are past their time, the oldest first, and returns how many. A Settle
// that comes later fails with ErrExpired.
func (l *Ledger) Expire(ctx context.Context, limit int) (int, error) {
	n, err := l.expire(ctx, "", limit)
	if err != nil {
		return n, fmt.Errorf("expire: %w", err)
	}
	return n, nil
}

// expire gives back overdue holds of one account, or of all where accountID is empty.
func (l *Ledger) expire(ctx context.Context, accountID string, limit int) (int, error) {
	overdue, err := store.All(ctx, l.store.Reader(), `SELECT id, account_id, period, points FROM holds
		WHERE state = 'held' AND expires_at <= $1 AND (account_id = $2 OR $2 = '') ORDER BY expires_at, id LIMIT $3`,
		store.Args{store.At(l.now()), accountID, limit},
		func(scan func(...any) error) (h Hold, err error) {
			return h, scan(&h.ID, &h.AccountID, &h.Period, &h.Points)
		})
	if err != nil {
		return 0, err
	}
	count := 0
	for _, h := range overdue {
		done, err := l.giveBack(ctx, h, expired)
		if err != nil {
			return count, err
		}
		if done {
			count++
		}
	}
	return count, nil
}

// forget deletes stored answers that are no longer replayed, and frees their keys.
func (l *Ledger) forget(ctx context.Context, limit int) (int, error) {
	n, err := l.store.Writer().Exec(ctx, `UPDATE holds
		SET idempotency_key = NULL, fingerprint = NULL, answer = NULL, answer_until = NULL
		WHERE id IN (SELECT id FROM holds WHERE answer_until <= $1 ORDER BY answer_until, id LIMIT $2)`,
		store.At(l.now()), limit)
	if err != nil {
		return 0, fmt.Errorf("forget answers: %w", err)
	}
	return int(n), nil
}

// clear frees the idempotency key that h has outlived.
func (l *Ledger) clear(ctx context.Context, h Hold) error {
	if _, err := l.giveBack(ctx, h, expired); err != nil {
		return err
	}
	_, err := l.store.Writer().Exec(ctx, `UPDATE holds
		SET idempotency_key = NULL, fingerprint = NULL, answer = NULL, answer_until = NULL
		WHERE id = $1 AND answer_until <= $2`, h.ID, store.At(l.now()))
	return err
}
