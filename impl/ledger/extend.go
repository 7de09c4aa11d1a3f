package ledger

import (
	"context"
	"fmt"
	"time"

	"uncial/impl/store"
)

// Extend puts off the expiry of a running hold to ttl from now. Whoever works under a hold extends it every now and
// then, so that the points of a process that dies are free again soon, however long the work may take. Errors:
// ErrExpired, ErrEnded, ErrTTL, *store.Error.
func (l *Ledger) Extend(ctx context.Context, h Hold, ttl time.Duration) error {
	if ttl <= 0 {
		return ErrTTL
	}
	now := l.now()
	x := l.store.Writer()
	n, err := x.Exec(ctx, `UPDATE holds SET expires_at = $2 WHERE id = $1 AND state = 'held' AND expires_at > $3`,
		h.ID, store.At(now.Add(ttl)), store.At(now))
	if err == nil && n == 0 {
		err = ended(ctx, x, h)
	}
	if err != nil {
		return fmt.Errorf("extend: %w", err)
	}
	return nil
}
