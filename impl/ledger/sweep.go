package ledger

import (
	"context"
	"fmt"

	"uncial/impl/store"
)

const (
	expireBatch = 100 // holds; each is a transaction of its own
	forgetBatch = 500 // replies deleted by one statement, so that it locks rows only briefly
	// maxBatches bounds a sweep. The next sweep continues where it stopped.
	maxBatches = 100
)

// Swept is the result of a sweep.
type Swept struct {
	Expired   int `json:"expired"`   // holds whose points were returned
	Forgotten int `json:"forgotten"` // stored replies deleted
	Archived  int `json:"archived"`  // holds of old months removed
}

// Sweep expires overdue holds, deletes replies that are too old to be replayed, and removes holds of months that ended longer
// ago than the retention. Any number of replicas may sweep at the same time. Call it about every 15 seconds. Errors:
// *store.Error.
func (l *Ledger) Sweep(ctx context.Context) (Swept, error) {
	var s Swept
	// Batches keep transactions short, so that a large backlog after an outage does not block requests.
	for range maxBatches {
		n, err := l.expire(ctx, "", expireBatch)
		s.Expired += n
		if err != nil {
			return s, fmt.Errorf("expire: %w", err)
		}
		if n < expireBatch {
			break
		}
	}
	for range maxBatches {
		n, err := l.deleteOldReplies(ctx, forgetBatch)
		s.Forgotten += n
		if err != nil {
			return s, err
		}
		if n < forgetBatch {
			break
		}
	}
	archived, err := l.archive(ctx)
	s.Archived = int(archived)
	if err != nil {
		return s, fmt.Errorf("archive: %w", err)
	}
	return s, nil
}

// expire ends at most limit overdue holds of an account, or of all accounts if accountID is empty, the oldest first, and
// returns how many. A later Settle of such a hold fails with ErrExpired. Errors: *store.Error.
func (l *Ledger) expire(ctx context.Context, accountID string, limit int) (int, error) {
	overdue, err := store.All(ctx, l.store.Reader(), `SELECT id, account_id, COALESCE(meter_id, ''), period, points FROM holds
		WHERE state = 'held' AND expires_at <= $1 AND (account_id = $2 OR $2 = '') ORDER BY expires_at, id LIMIT $3`,
		store.Args{store.At(l.now()), accountID, limit},
		func(scan func(...any) error) (h Hold, err error) {
			return h, scan(&h.ID, &h.AccountID, &h.MeterID, &h.Period, &h.Points)
		})
	if err != nil {
		return 0, err
	}
	count := 0
	for _, h := range overdue {
		done, err := l.returnPoints(ctx, h, expired)
		if err != nil {
			return count, err
		}
		if done {
			count++
		}
	}
	return count, nil
}

// deleteOldReplies deletes replies that are too old to be replayed, and frees their idempotency keys.
func (l *Ledger) deleteOldReplies(ctx context.Context, limit int) (int, error) {
	n, err := l.store.Writer().Exec(ctx, `UPDATE holds
		SET idempotency_key = NULL, fingerprint = NULL, answer = NULL, answer_until = NULL
		WHERE id IN (SELECT id FROM holds WHERE answer_until <= $1 ORDER BY answer_until, id LIMIT $2)`,
		store.At(l.now()), limit)
	if err != nil {
		return 0, fmt.Errorf("delete old replies: %w", err)
	}
	return int(n), nil
}

// freeKey frees the idempotency key of h, which has expired or whose reply is too old.
func (l *Ledger) freeKey(ctx context.Context, h Hold) error {
	if _, err := l.returnPoints(ctx, h, expired); err != nil {
		return err
	}
	_, err := l.store.Writer().Exec(ctx, `UPDATE holds
		SET idempotency_key = NULL, fingerprint = NULL, answer = NULL, answer_until = NULL
		WHERE id = $1 AND answer_until <= $2`, h.ID, store.At(l.now()))
	return err
}
