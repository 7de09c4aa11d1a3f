package ledger

import (
	"context"
	"fmt"
	"time"

	"uncial/impl/store"
)

// Extend moves the expiry of a running hold to ttl from now. A process extends its hold regularly while it works, so that
// the work may take a long time, and the points of a process that dies are still released soon. An expired hold cannot be
// revived. Errors: ErrExpired, ErrEnded, *store.Error; a ttl that is not positive is an error too.
func (l *Ledger) Extend(ctx context.Context, h Hold, ttl time.Duration) error {
	if ttl <= 0 {
		return errTTL
	}
	now := l.now()
	x := l.store.Writer()
	n, err := x.Exec(ctx, `UPDATE holds SET expires_at = $2 WHERE id = $1 AND state = 'held' AND expires_at > $3`,
		h.ID, store.At(now.Add(ttl)), store.At(now))
	if err == nil && n == 0 {
		err = whyEnded(ctx, x, h)
	}
	if err != nil {
		return fmt.Errorf("extend: %w", err)
	}
	return nil
}
