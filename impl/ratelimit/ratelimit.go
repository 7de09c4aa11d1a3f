// Package ratelimit counts the requests of each account in a fixed window, and refuses those beyond the limit. Callers
// pass the limit and decide which requests count; package contract has the length of the window. Start with
// Limiter.Count.
//
// Each account has one row, which one conditional statement changes, so that any number of replicas together admit no
// more than the limit. Replicas whose clocks differ share the newest window that any of them has opened, and never
// return to an older one.
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/store"
	"uncial/internal/contract"
)

// Limiter keeps the windows of all accounts in one database. It is safe for concurrent use by any number of processes.
type Limiter struct {
	store *store.Store
	clock func() time.Time
}

// New returns the limiter stored in st. now is the clock; nil means time.Now.
func New(st *store.Store, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{store: st, clock: now}
}

// Count counts one request of the account and returns the window including that request. If limit requests (at least 1) have
// been counted already, allowed is false and nothing is counted. It takes one statement, and a second one for a refusal.
// Errors: *store.Error, which is also the error for an unknown account.
func (l *Limiter) Count(ctx context.Context, accountID string, limit int64) (w contract.Window, allowed bool, err error) {
	now := store.At(l.clock()).Time
	var started store.Instant
	var requests int64
	err = l.store.Writer().Get(ctx, `INSERT INTO windows (account_id, started_at, requests) VALUES ($1, $2, 1)
		ON CONFLICT (account_id) DO UPDATE SET
			requests = CASE WHEN excluded.started_at > windows.started_at OR windows.started_at > $4
				THEN 1 ELSE windows.requests + 1 END,
			started_at = CASE WHEN excluded.started_at > windows.started_at OR windows.started_at > $4
				THEN excluded.started_at ELSE windows.started_at END
		WHERE excluded.started_at > windows.started_at OR windows.started_at > $4 OR windows.requests < $3
		RETURNING started_at, requests`,
		store.Args{accountID, store.At(contract.WindowStart(now)), limit, store.At(latestStart(now))}, &started, &requests)
	if errors.Is(err, store.ErrNoRows) {
		w, err = l.read(ctx, accountID, limit, now)
		w.Remaining = 0 // even if a new window began between the two statements
		return w, false, err
	}
	if err != nil {
		return contract.Window{}, false, fmt.Errorf("count a request for the rate limit: %w", err)
	}
	return contract.NewWindow(limit, requests, started.Time, now), true, nil
}

// latestStart returns the latest instant at which a stored window may start. A window that starts even later was stored by a
// clock that was wrong. It is ignored, because otherwise the account would be locked out until then.
func latestStart(now time.Time) time.Time {
	return contract.WindowStart(now).Add(contract.WindowLength)
}

// Window returns the account's window under the limit, without counting a request. An account that has sent none has a full
// window, even if it does not exist. Errors: *store.Error.
func (l *Limiter) Window(ctx context.Context, accountID string, limit int64) (contract.Window, error) {
	return l.read(ctx, accountID, limit, store.At(l.clock()).Time)
}

// read returns the window at now. If the stored window has ended, it is a new one without requests.
func (l *Limiter) read(ctx context.Context, accountID string, limit int64, now time.Time) (contract.Window, error) {
	var started store.Instant
	var requests int64
	err := l.store.Reader().Get(ctx, `SELECT started_at, requests FROM windows WHERE account_id = $1`,
		store.Args{accountID}, &started, &requests)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return contract.Window{}, fmt.Errorf("read the rate-limit window: %w", err)
	}
	if current := contract.WindowStart(now); started.Before(current) || started.After(latestStart(now)) {
		started.Time, requests = current, 0
	}
	return contract.NewWindow(limit, requests, started.Time, now), nil
}
