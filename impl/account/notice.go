package account

import (
	"context"
	"fmt"
	"time"

	"uncial/impl/store"
)

// Notice says how urgently a key should be rotated.
type Notice string

// Notices, from a time that leaves room for planning to the last days.
const (
	NoNotice     Notice = ""
	rotateSoon   Notice = "soon"
	RotateUrgent Notice = "now"
)

const day = 24 * time.Hour

// Keys should be rotated every 90 days. A key that expires gets both notices before its 90th day or its expiry, whichever is
// first; a key that never expires gets the second one on its 90th day.
const (
	soonAge         = 75 * day
	soonBeforeEnd   = 15 * day
	urgentAge       = 87 * day
	urgentBeforeEnd = 3 * day
	urgentAgeNoEnd  = 90 * day
)

// noticeAt returns the notice of a key. Keys that have ended or were rotated need none.
func (k Key) noticeAt(now time.Time) Notice {
	if k.statusAt(now) != Active || k.ReplacedBy != "" {
		return NoNotice
	}
	age, left := now.Sub(k.Created), k.Expires.Sub(now)
	expires := !k.Expires.IsZero()
	switch {
	case expires && (left <= urgentBeforeEnd || age >= urgentAge), !expires && age >= urgentAgeNoEnd:
		return RotateUrgent
	case expires && left <= soonBeforeEnd, age >= soonAge:
		return rotateSoon
	}
	return NoNotice
}

// AgeAt returns the age of the key in whole days.
func (k Key) AgeAt(now time.Time) int { return int(now.Sub(k.Created) / day) }

// KeysToRotate returns the active keys of all accounts that have a notice, the oldest first, at most limit. Errors:
// *store.Error.
func (r *Registry) KeysToRotate(ctx context.Context, limit int) ([]Key, error) {
	now := r.now()
	all, err := store.All(ctx, r.store.Reader(), `SELECT `+keyColumns+keysAndMeters+` JOIN accounts a ON a.id = k.account_id
		WHERE k.revoked_at IS NULL AND k.replaced_by IS NULL AND (k.expires_at IS NULL OR k.expires_at > $1)
			AND (k.created_at <= $2 OR k.expires_at <= $3) AND a.deleted_at IS NULL ORDER BY k.created_at, k.id LIMIT $4`,
		store.Args{store.At(now), store.At(now.Add(-soonAge)), store.At(now.Add(soonBeforeEnd)), limit},
		func(scan func(...any) error) (Key, error) { return scanKey(scan, now) })
	if err != nil {
		return nil, fmt.Errorf("list keys to rotate: %w", err)
	}
	return all, nil
}
