package ledger

import "context"

// ErrKeyFree, ErrRunning and ErrTTL are errors that callers never tell apart.
var (
	ErrKeyFree = errKeyFree
	ErrRunning = errRunning
	ErrTTL     = errTTL
)

// Expire ends at most limit overdue holds of all accounts, and returns how many.
func (l *Ledger) Expire(ctx context.Context, limit int) (int, error) { return l.expire(ctx, "", limit) }

// Wait waits for the reply of a running request.
func (l *Ledger) Wait(ctx context.Context, accountID string, i Idempotency) ([]byte, error) {
	return l.wait(ctx, accountID, i)
}
