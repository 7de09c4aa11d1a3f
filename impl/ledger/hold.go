package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/store"
)

// Idempotency identifies a request that its caller may repeat.
type Idempotency struct {
	Key         string   // from the header Idempotency-Key; compared byte by byte within the account
	Fingerprint [32]byte // digest of the request: another request with the same key is an error
}

// HoldRequest are the parameters of Hold.
type HoldRequest struct {
	AccountID   string
	KeyID       string        // of the key that pays, for the usage; empty for the playground
	MeterID     string        // account.Key.MeterID or PlaygroundMeter; empty: no cap applies
	Points      int64         // at least 1
	TTL         time.Duration // until the hold expires; must exceed the interval between calls of Extend plus the difference between the clocks of replicas
	Idempotency *Idempotency  // nil if the caller sent no key
}

// Hold is points set aside for one extraction.
type Hold struct {
	ID        string
	AccountID string
	MeterID   string // empty: no meter counts it
	Period    string // calendar month (UTC) that the points are charged to: "2026-03"
	Points    int64
	Expires   time.Time

	replayable bool // has an idempotency key, so that its reply is stored
}

// Reasons to try a hold again. Callers see only errChanged, and only after maxHoldAttempts.
var (
	errNoPeriod = errors.New("the account has no balance for this month yet")
	errNoMeter  = errors.New("the playground of the account has no meter yet")
	errChanged  = errors.New("the account changed during the request")
)

// staleError says that an idempotency key belongs to an expired hold or to a reply that is too old to be replayed.
type staleError struct{ Hold }

func (*staleError) Error() string { return "the idempotency key belongs to an expired hold or reply" }

// maxHoldAttempts bounds the attempts of one Hold. Each further attempt follows a change of the account, by this or another
// request.
const maxHoldAttempts = 8

// Hold sets points aside. It looks up the idempotency key first, so that a replay works even without points. Errors:
// *InsufficientError, *ReplayError, ErrIdempotencyKeyReused, ErrPoints, account.ErrNoAccount, account.ErrPlan, *store.Error; a
// TTL that is not positive and a running request with the same idempotency key are errors too. After an error nothing is held.
func (l *Ledger) Hold(ctx context.Context, req HoldRequest) (Hold, error) {
	if req.Points < 1 {
		return Hold{}, ErrPoints
	}
	if req.TTL <= 0 {
		return Hold{}, errTTL
	}
	for range maxHoldAttempts {
		h, err := l.tryHold(ctx, req)
		if err == nil {
			return h, nil
		}
		if err := l.prepareRetry(ctx, req, err); err != nil {
			return Hold{}, fmt.Errorf("hold: %w", err)
		}
	}
	return Hold{}, fmt.Errorf("hold: %w", errChanged)
}

// prepareRetry removes the reason why an attempt failed, or returns the error if it is final.
func (l *Ledger) prepareRetry(ctx context.Context, req HoldRequest, failed error) error {
	var stale *staleError
	var insufficient *InsufficientError
	switch {
	case errors.Is(failed, errChanged):
		return nil
	case errors.Is(failed, errNoPeriod):
		return l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
			return l.openPeriod(ctx, x, req.AccountID, l.now())
		})
	case errors.Is(failed, errNoMeter):
		return l.addPlayground(ctx, l.store.Writer(), req.AccountID)
	case errors.As(failed, &stale):
		return l.freeKey(ctx, stale.Hold)
	case errors.As(failed, &insufficient):
		// Expired holds of dead processes must not block the account until the next sweep.
		freed, err := l.expire(ctx, req.AccountID, expireBatch)
		if err == nil && freed == 0 {
			return failed
		}
		return err
	}
	return failed
}

// tryHold inserts the hold and takes its points in one transaction.
func (l *Ledger) tryHold(ctx context.Context, req HoldRequest) (Hold, error) {
	now := l.now()
	h := Hold{
		ID: newHoldID(), AccountID: req.AccountID, MeterID: req.MeterID, Period: MonthOf(now), Points: req.Points,
		Expires: store.At(now.Add(req.TTL)).Time, replayable: req.Idempotency != nil,
	}
	err := l.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := insertHold(ctx, x, h, req, now); err != nil {
			return err
		}
		// The condition makes overspending impossible, because the database checks it while it holds the lock on the row.
		r, err := updateBalance(ctx, x, `UPDATE balances SET held = held + $3, seq = seq + 1
			WHERE account_id = $1 AND period = $2 AND total - used - held >= $3`, h.AccountID, h.Period, h.Points)
		if errors.Is(err, store.ErrNoRows) {
			return whyRefused(ctx, x, h, now)
		}
		if err != nil {
			return err
		}
		if err := h.takeFromMeter(ctx, x, r.remaining()+h.Points, now); err != nil {
			return err
		}
		return r.insertEntry(ctx, x, h.AccountID, h.Period, entry{kind: "hold", points: -h.Points, holdID: h.ID}, now)
	})
	return h, err
}

// insertHold inserts the hold. The unique index of idempotency keys makes racing repeats wait here until the transaction
// of the first one ends. Errors: *ReplayError, errRunning, ErrIdempotencyKeyReused, *staleError, errChanged, *store.Error.
func insertHold(ctx context.Context, x store.Executor, h Hold, req HoldRequest, now time.Time) error {
	var key *string
	var fingerprint []byte
	i := req.Idempotency
	if i != nil {
		key, fingerprint = &i.Key, i.Fingerprint[:]
	}
	n, err := x.Exec(ctx, `INSERT INTO holds
			(id, account_id, period, points, state, created_at, expires_at, idempotency_key, fingerprint, key_id, meter_id)
		VALUES ($1, $2, $3, $4, 'held', $5, $6, $7, $8, $9, $10)
		ON CONFLICT (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING`,
		h.ID, h.AccountID, h.Period, h.Points, store.At(now), store.At(h.Expires), key, fingerprint,
		store.OrNull(req.KeyID), store.OrNull(h.MeterID))
	if err != nil || n == 1 {
		return err
	}
	reply, err := lookUp(ctx, x, h.AccountID, *i, now)
	switch {
	case errors.Is(err, errKeyFree):
		return errChanged // the other hold has just been released
	case err != nil:
		return err
	}
	return &ReplayError{Reply: reply}
}

// whyRefused returns why the points could not be set aside: errNoPeriod, errChanged, *InsufficientError, *store.Error.
func whyRefused(ctx context.Context, x store.Executor, h Hold, now time.Time) error {
	var r row
	var limit *int64
	var metered int64
	err := x.Get(ctx, `SELECT b.total, b.used, b.held, m.cap, COALESCE(c.used + c.held, 0) FROM balances b
		LEFT JOIN meters m ON m.id = $3
		LEFT JOIN meter_balances c ON c.meter_id = m.id AND c.period = b.period
		WHERE b.account_id = $1 AND b.period = $2`,
		store.Args{h.AccountID, h.Period, h.MeterID}, &r.total, &r.used, &r.held, &limit, &metered)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return errNoPeriod
	case err != nil:
		return err
	case r.remaining() >= h.Points: // another request has returned points since
		return errChanged
	}
	return r.balance(now).capped(limit, metered).insufficient()
}

// insufficient is the refusal of a hold that needs more points than the balance has.
func (b Balance) insufficient() *InsufficientError {
	return &InsufficientError{Remaining: b.Remaining, NextReset: b.NextReset, LimitedBy: b.LimitedBy}
}
