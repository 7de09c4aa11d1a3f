package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"uncial/impl/store"
)

// errKeyFree means that no request with this idempotency key is running or has a stored reply, so that Hold can be tried.
var errKeyFree = errors.New("the idempotency key is free")

// Pauses between queries that ask whether a running request has ended; they double from the first to the longest.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// HoldOrWait is Hold, except that it waits while the first request with the same idempotency key is running, instead of
// failing. It waits until ctx ends, so ctx must have a deadline.
func (l *Ledger) HoldOrWait(ctx context.Context, req HoldRequest) (Hold, error) {
	for {
		h, err := l.Hold(ctx, req)
		if !errors.Is(err, errRunning) {
			return h, err
		}
		reply, err := l.wait(ctx, req.AccountID, *req.Idempotency)
		switch {
		case err == nil:
			return Hold{}, &ReplayError{Reply: reply}
		case !errors.Is(err, errKeyFree):
			return Hold{}, err
		}
	}
}

// wait waits until the request with this idempotency key has ended and returns its stored reply. Errors: errKeyFree if it
// ended without a reply, ErrIdempotencyKeyReused, ctx's error, *store.Error.
func (l *Ledger) wait(ctx context.Context, accountID string, i Idempotency) ([]byte, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		reply, err := lookUp(ctx, l.store.Reader(), accountID, i, l.now())
		var stale *staleError
		switch {
		case errors.As(err, &stale):
			return nil, errKeyFree
		case !errors.Is(err, errRunning):
			return reply, err
		}
		// The jitter keeps many waiting requests from querying at the same time.
		jitter := time.Duration(rand.Int64N(int64(pause) / 2))
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the first request: %w", ctx.Err())
		case <-time.After(pause - jitter):
		}
	}
}

// lookUp returns the reply stored under the idempotency key. Errors: errKeyFree, errRunning, ErrIdempotencyKeyReused,
// *staleError.
func lookUp(ctx context.Context, x store.Executor, accountID string, i Idempotency, now time.Time) ([]byte, error) {
	h := Hold{AccountID: accountID, replayable: true}
	var state string
	var fingerprint, reply []byte
	var expires, until store.Instant
	err := x.Get(ctx, `SELECT id, COALESCE(meter_id, ''), period, points, state, expires_at, fingerprint, answer, answer_until
		FROM holds WHERE account_id = $1 AND idempotency_key = $2`, store.Args{accountID, i.Key},
		&h.ID, &h.MeterID, &h.Period, &h.Points, &state, &expires, &fingerprint, &reply, &until)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return nil, errKeyFree
	case err != nil:
		return nil, err
	case state == held && !expires.After(now), state == settled && !until.After(now):
		return nil, &staleError{h}
	case !bytes.Equal(fingerprint, i.Fingerprint[:]):
		return nil, ErrIdempotencyKeyReused
	case state == held:
		return nil, errRunning
	}
	return reply, nil
}
