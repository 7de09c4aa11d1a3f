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

// ErrFree says that no request with the idempotency key runs or is answered: Hold may be tried.
var ErrFree = errors.New("the idempotency key is free")

// Between two looks at a running request, from the first to the longest pause.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// Acquire is Hold, but where the first request with the same idempotency key still runs it waits for its end instead
// of failing with ErrRunning: for as long as ctx lets it, so ctx must have a deadline.
func (l *Ledger) Acquire(ctx context.Context, req HoldRequest) (Hold, error) {
	for {
		h, err := l.Hold(ctx, req)
		if !errors.Is(err, ErrRunning) {
			return h, err
		}
		answer, err := l.Wait(ctx, req.AccountID, *req.Idempotency)
		switch {
		case err == nil:
			return Hold{}, &ReplayError{Answer: answer}
		case !errors.Is(err, ErrFree):
			return Hold{}, err
		}
	}
}

// Wait waits until the request with this idempotency key has ended, and returns its stored answer. Errors: ErrFree
// where it ended without one, ErrKeyReused, ctx's, *store.Error.
func (l *Ledger) Wait(ctx context.Context, accountID string, i Idempotency) ([]byte, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		answer, err := lookUp(ctx, l.store.Reader(), accountID, i, l.now())
		var stale *staleError
		switch {
		case errors.As(err, &stale):
			return nil, ErrFree
		case !errors.Is(err, ErrRunning):
			return answer, err
		}
		jitter := time.Duration(rand.Int64N(int64(pause) / 2))
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the first request: %w", ctx.Err())
		case <-time.After(pause - jitter):
		}
	}
}

// lookUp returns the answer stored under the idempotency key. Errors: ErrFree, ErrRunning, ErrKeyReused, *staleError.
func lookUp(ctx context.Context, x store.Executor, accountID string, i Idempotency, now time.Time) ([]byte, error) {
	h := Hold{AccountID: accountID, replayable: true}
	var state string
	var fingerprint, answer []byte
	var expires, until store.Instant
	err := x.Get(ctx, `SELECT id, period, points, state, expires_at, fingerprint, answer, answer_until
		FROM holds WHERE account_id = $1 AND idempotency_key = $2`, store.Args{accountID, i.Key},
		&h.ID, &h.Period, &h.Points, &state, &expires, &fingerprint, &answer, &until)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return nil, ErrFree
	case err != nil:
		return nil, err
	case state == held && !expires.After(now), state == settled && !until.After(now):
		return nil, &staleError{h}
	case !bytes.Equal(fingerprint, i.Fingerprint[:]):
		return nil, ErrKeyReused
	case state == held:
		return nil, ErrRunning
	}
	return answer, nil
}
