package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"uncial/impl/store"
	"uncial/internal/contract"
)

// Key describes an API key, without the token itself. Times are UTC.
type Key struct {
	ID         string         `json:"id"`
	AccountID  string         `json:"account"`
	Name       string         `json:"name"`
	Status     Status         `json:"status"`           // at the time when the key was read
	Notice     Notice         `json:"rotate,omitempty"` // at that time; empty: no need to rotate it yet
	Allow      []netip.Prefix `json:"allow,omitempty"`  // addresses it may be used from; empty: any
	Created    time.Time      `json:"created"`
	Expires    time.Time      `json:"expires,omitzero"`     // zero: never
	Revoked    time.Time      `json:"revoked,omitzero"`     // zero: not revoked
	LastUsed   time.Time      `json:"lastUsed,omitzero"`    // to the minute; zero: never
	LastFour   string         `json:"lastFour,omitempty"`   // characters at the end of the key; empty: made before they were stored
	Replaces   string         `json:"replaces,omitempty"`   // ID of the key that it replaced; empty: none
	ReplacedBy string         `json:"replacedBy,omitempty"` // ID of the key that Rotate made; empty: none
	Cap        *int64         `json:"cap,omitempty"`        // points a month, shared with the keys that it replaced; nil: no cap
	MeterID    string         `json:"-"`                    // what counts these points; empty: nothing does
}

// Status says whether a key may be used. Only an active key may.
type Status string

// Statuses of a key. A key that is revoked stays Revoked after its expiry.
const (
	Active  Status = "active"
	Expired Status = "expired"
	Revoked Status = "revoked"
)

// statusAt returns Revoked for a revoked key even if it has also expired: the owner did something about it.
func (k Key) statusAt(now time.Time) Status {
	switch {
	case !k.Revoked.IsZero():
		return Revoked
	case !k.Expires.IsZero() && !k.Expires.After(now):
		return Expired
	}
	return Active
}

// Errors about keys. People see the texts, on the console and in the dashboard.
var (
	ErrEnded   = errors.New("the key has expired or was already revoked or rotated; create a new key instead")
	errExpires = errors.New("invalid key lifetime; use a positive duration, or none for a key that never expires")
	errOverlap = errors.New("invalid key overlap; use 0 or a positive duration")
	ErrCap     = fmt.Errorf("invalid key cap; use 0 to %d points a month, or none", int64(contract.MaxPoints))
	ErrAllow   = errors.New("invalid address range; use at most 100 addresses or CIDRs such as 192.0.2.0/24 or 2001:db8::/32")
)

// NewKey describes a key to make.
type NewKey struct {
	AccountID string
	Name      string         // 1 to 200 printable characters
	Lifetime  time.Duration  // 0: never expires
	Allow     []netip.Prefix // addresses it may be used from; empty: any
	Cap       *int64         // points a month that it may use; nil: no cap
}

// CreateKey makes a key and returns it with its token, which cannot be read again later. Errors: ErrNoAccount, also for a
// deleted account, ErrName, ErrAllow, ErrCap, *store.Error; a negative lifetime and a registry without secret are errors too.
func (r *Registry) CreateKey(ctx context.Context, n NewKey) (Key, string, error) {
	if err := r.checkKey(n); err != nil {
		return Key{}, "", err
	}
	var k Key
	var token string
	err := r.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		// Locked, so that no key can be added to an account that is being deleted.
		locked, err := x.Exec(ctx, `UPDATE accounts SET plan = plan WHERE id = $1 AND deleted_at IS NULL`, n.AccountID)
		if err != nil {
			return err
		}
		if locked == 0 {
			return ErrNoAccount
		}
		k, token = r.generate(n)
		k.MeterID = k.ID
		_, err = x.Exec(ctx, `INSERT INTO meters (id, account_id, cap) VALUES ($1, $2, $3)`, k.MeterID, k.AccountID, k.Cap)
		if err != nil {
			return err
		}
		return r.insertKey(ctx, x, k, token)
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("create key: %w", err)
	}
	return k, token, nil
}

// checkKey returns what is wrong with a key before anything is stored. Errors: errSecret, errExpires, ErrCap, ErrAllow,
// ErrName.
func (r *Registry) checkKey(n NewKey) error {
	switch {
	case len(r.secret) == 0:
		return errSecret
	case n.Lifetime < 0:
		return errExpires
	case !isCap(n.Cap):
		return ErrCap
	}
	if err := checkAllow(n.Allow); err != nil {
		return err
	}
	return CheckName(n.Name)
}

// isCap reports whether a monthly cap, in points, is valid. nil means no cap.
func isCap(points *int64) bool { return points == nil || *points >= 0 && *points <= contract.MaxPoints }

// generate returns a new key and its token; nothing is stored yet.
func (r *Registry) generate(n NewKey) (Key, string) {
	token := newToken()
	k := Key{
		ID: NewID("key"), AccountID: n.AccountID, Name: n.Name, Status: Active, Created: r.now(), Cap: n.Cap,
		LastFour: token[len(token)-lastFour:],
	}
	for _, prefix := range n.Allow {
		k.Allow = append(k.Allow, canonical(prefix))
	}
	if n.Lifetime > 0 {
		k.Expires = store.At(k.Created.Add(n.Lifetime)).Time
	}
	k.Notice = k.noticeAt(k.Created)
	return k, token
}

// insertKey stores a key with the digest of its token. The token itself is never stored.
func (r *Registry) insertKey(ctx context.Context, x store.Executor, k Key, token string) error {
	_, err := x.Exec(ctx, `INSERT INTO api_keys
			(id, account_id, name, digest, allow, created_at, expires_at, secret_id, last_four, replaces, meter_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		k.ID, k.AccountID, k.Name, digest(r.secret, token), formatAllow(k.Allow),
		store.At(k.Created), store.At(k.Expires), secretID(r.secret), k.LastFour, store.OrNull(k.Replaces), store.OrNull(k.MeterID))
	return err
}

// CountUnderOtherSecrets returns how many active keys were made with a secret other than this registry's. Such keys are
// refused as unknown. Keys made before secrets were recorded do not count. Errors: *store.Error; a registry
// without secret is an error too.
func (r *Registry) CountUnderOtherSecrets(ctx context.Context) (n int64, err error) {
	if len(r.secret) == 0 {
		return 0, errSecret
	}
	err = r.store.Reader().Get(ctx, `SELECT COUNT(*) FROM api_keys
		WHERE secret_id <> $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
		store.Args{secretID(r.secret), store.At(r.now())}, &n)
	if err != nil {
		return 0, fmt.Errorf("count keys: %w", err)
	}
	return n, nil
}

// Keys returns the keys of an account, or of all accounts if accountID is empty, oldest first. Keys that have ended are
// included. Errors: ErrNoAccount, *store.Error.
func (r *Registry) Keys(ctx context.Context, accountID string) ([]Key, error) {
	if accountID != "" {
		if _, err := r.Find(ctx, accountID); err != nil {
			return nil, err
		}
	}
	now := r.now()
	all, err := store.All(ctx, r.store.Reader(), selectKey+` WHERE k.account_id = $1 OR $1 = '' ORDER BY k.created_at, k.id`,
		store.Args{accountID}, func(scan func(...any) error) (Key, error) { return scanKey(scan, now) })
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return all, nil
}

// Rotate makes a key that replaces another one. The new key has the same account, name, address ranges, cap and lifetime,
// counted from now; what the old key has used this month counts against the cap. The old key works for the overlap, but never
// beyond its own expiry. Errors: ErrNoKey, ErrEnded, *store.Error; a negative overlap and a registry without secret are errors
// too.
func (r *Registry) Rotate(ctx context.Context, id string, overlap time.Duration) (Key, string, error) {
	if overlap < 0 {
		return Key{}, "", errOverlap
	}
	if len(r.secret) == 0 {
		return Key{}, "", errSecret
	}
	var made Key
	var token string
	err := r.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		old, err := r.findKey(ctx, x, id)
		if err != nil {
			return err
		}
		n := NewKey{AccountID: old.AccountID, Name: old.Name, Allow: old.Allow}
		if !old.Expires.IsZero() {
			n.Lifetime = old.Expires.Sub(old.Created)
		}
		made, token = r.generate(n)
		made.Replaces, made.MeterID, made.Cap = old.ID, old.MeterID, old.Cap
		if err := r.insertKey(ctx, x, made, token); err != nil {
			return err
		}
		return replace(ctx, x, old, made, overlap)
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("rotate key: %w", err)
	}
	return made, token, nil
}

// replace sets the expiry of the old key and records its successor. The conditions of the statement let only one of several
// racing calls succeed; the others get ErrEnded and are rolled back, so that a key never has two successors.
func replace(ctx context.Context, x store.Executor, old, made Key, overlap time.Duration) error {
	end := made.Created.Add(overlap)
	if !old.Expires.IsZero() && old.Expires.Before(end) {
		end = old.Expires
	}
	return x.ExecOr(ctx, ErrEnded, `UPDATE api_keys SET expires_at = $2, replaced_by = $3
		WHERE id = $1 AND revoked_at IS NULL AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > $4)`,
		old.ID, store.At(end), made.ID, store.At(made.Created))
}

// Revoke ends a key at once. Revoking it again changes nothing, not even the stored time. Errors: ErrNoKey, *store.Error.
func (r *Registry) Revoke(ctx context.Context, id string) error {
	return r.store.Writer().ExecOr(ctx, ErrNoKey,
		`UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1`, id, store.At(r.now()))
}

// keyColumns are the columns that scanKey reads, in its order.
const keyColumns = `k.id, k.account_id, k.name, k.allow, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
	COALESCE(k.last_four, ''), COALESCE(k.replaces, ''), COALESCE(k.replaced_by, ''), COALESCE(k.meter_id, ''), m.cap`

const (
	keysAndMeters = ` FROM api_keys k LEFT JOIN meters m ON m.id = k.meter_id`
	selectKey     = `SELECT ` + keyColumns + keysAndMeters
)

// findKey returns a key of any account by its ID. Errors: ErrNoKey, *store.Error.
func (r *Registry) findKey(ctx context.Context, x store.Executor, id string) (Key, error) {
	k, err := scanKey(func(dest ...any) error {
		return x.Get(ctx, selectKey+` WHERE k.id = $1`, store.Args{id}, dest...)
	}, r.now())
	if errors.Is(err, store.ErrNoRows) {
		return Key{}, ErrNoKey
	}
	return k, err
}

// scanKey reads the columns keyColumns. now decides whether the key has expired.
func scanKey(scan func(...any) error, now time.Time) (Key, error) {
	var k Key
	var allow string
	var created, expires, revoked, used store.Instant
	err := scan(&k.ID, &k.AccountID, &k.Name, &allow, &created, &expires, &revoked, &used,
		&k.LastFour, &k.Replaces, &k.ReplacedBy, &k.MeterID, &k.Cap)
	if err != nil {
		return Key{}, err
	}
	k.Created, k.Expires, k.Revoked, k.LastUsed = created.Time, expires.Time, revoked.Time, used.Time
	k.Status, k.Notice = k.statusAt(now), k.noticeAt(now)
	k.Allow, err = parseAllow(allow)
	return k, err
}
