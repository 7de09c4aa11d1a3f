package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/store"
	"uncial/internal/contract"
)

// Idempotency names a request that its caller may repeat.
type Idempotency struct {
	Key         string   // compared byte by byte, within the account
	Fingerprint [32]byte // a digest of the request
}

// HoldRequest asks for points.
type HoldRequest struct {
	AccountID   string
	Points      int64         // at least 1
	TTL         time.Duration // after which the hold expires: longer than the work can take and clocks can differ
	Idempotency *Idempotency  // nil where the caller sent no key
}

// Hold is points set aside.
type Hold struct {
	ID        string
	AccountID string
	Period    string // the calendar month that it is charged to, UTC: "2026-03"
	Points    int64
	Expires   time.Time

	replayable bool // has an idempotency key
}

var (
	errNoPeriod = errors.New("the period has not begun for this account")
	errChanged  = errors.New("the state changed between two statements")
)

// staleError says that an idempotency key is taken by a hold that has run out, or by an answer that is too old.
type staleError struct{ Hold }

func (*staleError) Error() string { return "the idempotency key is taken by a hold that has run out" }

const holdAttempts = 8 // each one more than the first follows from a change in the account's state

// Hold sets points aside. The idempotency key is looked up first: a replay is answered even when no points are left.
// Errors: *InsufficientError, *ReplayError, ErrRunning, ErrKeyReused, ErrPoints, ErrTTL, account.ErrNoAccount,
// account.ErrPlan, *store.Error. After an error nothing is held.
func (l *Ledger) Hold(ctx context.Context, req HoldRequest) (Hold, error) {
	if req.Points < 1 {
		return Hold{}, ErrPoints
	}
	if req.TTL <= 0 {
		return Hold{}, ErrTTL
	}
	for range holdAttempts {
		h, err := l.tryHold(ctx, req)
		if err == nil {
			return h, nil
		}
		if err := l.mend(ctx, req, err); err != nil {
			return Hold{}, fmt.Errorf("hold: %w", err)
		}
	}
	return Hold{}, fmt.Errorf("hold: %w", errChanged)
}

// mend brings about what the failed attempt lacked, or returns the error that is final.
func (l *Ledger) mend(ctx context.Context, req HoldRequest, failed error) error {
	var stale *staleError
	var insufficient *InsufficientError
	switch {
	case errors.Is(failed, errChanged):
		return nil
	case errors.Is(failed, errNoPeriod):
		return l.openPeriod(ctx, req.AccountID)
	case errors.As(failed, &stale):
		return l.clear(ctx, stale.Hold)
	case errors.As(failed, &insufficient):
		// Holds of dead processes must not turn the account away until the next sweep.
		freed, err := l.expire(ctx, req.AccountID, expireBatch)
		if err == nil && freed == 0 {
			return failed
		}
		return err
	}
	return failed
}

func (l *Ledger) tryHold(ctx context.Context, req HoldRequest) (Hold, error) {
	now := l.now()
	h := Hold{
		ID: newHoldID(), AccountID: req.AccountID, Period: periodOf(now), Points: req.Points,
		Expires: store.At(now.Add(req.TTL)).Time, replayable: req.Idempotency != nil,
	}
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := take(ctx, x, h, req.Idempotency, now); err != nil {
			return err
		}
		var r row
		err := x.Get(ctx, `UPDATE balances SET held = held + $3, seq = seq + 1
			WHERE account_id = $1 AND period = $2 AND total - used - held >= $3
			RETURNING total, used, held, seq`,
			store.Args{h.AccountID, h.Period, h.Points}, &r.total, &r.used, &r.held, &r.seq)
		if errors.Is(err, store.ErrNoRows) {
			return refuse(ctx, x, h, now)
		}
		if err != nil {
			return err
		}
		return r.write(ctx, x, h.AccountID, h.Period, entry{kind: "hold", points: -h.Points, holdID: h.ID}, now)
	})
	return h, err
}

// take writes the hold. Its idempotency key makes racing repeats wait here for the first one's transaction.
func take(ctx context.Context, x store.Executor, h Hold, i *Idempotency, now time.Time) error {
	var key *string
	var fingerprint []byte
	if i != nil {
		key, fingerprint = &i.Key, i.Fingerprint[:]
	}
	n, err := x.Exec(ctx, `INSERT INTO holds
			(id, account_id, period, points, state, created_at, expires_at, idempotency_key, fingerprint)
		VALUES ($1, $2, $3, $4, 'held', $5, $6, $7, $8)
		ON CONFLICT (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING`,
		h.ID, h.AccountID, h.Period, h.Points, store.At(now), store.At(h.Expires), key, fingerprint)
	if err != nil || n == 1 {
		return err
	}
	answer, err := lookUp(ctx, x, h.AccountID, *i, now)
	switch {
	case errors.Is(err, ErrFree):
		return errChanged // it was released since
	case err != nil:
		return err
	}
	return &ReplayError{Answer: answer}
}

// refuse says why the points could not be set aside.
func refuse(ctx context.Context, x store.Executor, h Hold, now time.Time) error {
	var remaining int64
	err := x.Get(ctx, `SELECT total - used - held FROM balances WHERE account_id = $1 AND period = $2`,
		store.Args{h.AccountID, h.Period}, &remaining)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return errNoPeriod
	case err != nil:
		return err
	case remaining >= h.Points:
		return errChanged
	}
	return &InsufficientError{Remaining: remaining, NextReset: contract.NextReset(now)}
}
