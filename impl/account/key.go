package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"uncial/impl/store"
)

// Key is an API key, without the secret itself.
type Key struct {
	ID         string         `json:"id"`
	AccountID  string         `json:"account"`
	Name       string         `json:"name"`
	Status     Status         `json:"status"`            // when it was read
	Allow      []netip.Prefix `json:"allow,omitempty"`   // where it may be used from; empty is anywhere
	Created    time.Time      `json:"created"`           //
	Expires    time.Time      `json:"expires,omitzero"`  // zero is never
	Revoked    time.Time      `json:"revoked,omitzero"`  // zero is not
	LastUsed   time.Time      `json:"lastUsed,omitzero"` // to the minute; zero is never
	ReplacedBy string         `json:"replacedBy,omitempty"`
}

// Status of a key.
type Status string

// The statuses of a key.
const (
	Active  Status = "active"
	Expired Status = "expired"
	Revoked Status = "revoked"
)

func (k Key) statusAt(now time.Time) Status {
	switch {
	case !k.Revoked.IsZero():
		return Revoked
	case !k.Expires.IsZero() && !k.Expires.After(now):
		return Expired
	}
	return Active
}

// Errors for decisions.
var (
	ErrEnded   = errors.New("the key has expired, is revoked or was rotated before")
	ErrExpires = errors.New("expires: must be a positive duration")
	ErrOverlap = errors.New("overlap: must be 0 or a positive duration")
	ErrAllow   = errors.New("allow: must be addresses or CIDRs such as 192.0.2.0/24 or 2001:db8::/32, at most 100")
)

const maxAllow = 100

// NewKey says what key to make.
type NewKey struct {
	AccountID string
	Name      string         // 1 to 200 printable characters
	Lifetime  time.Duration  // 0 is for ever
	Allow     []netip.Prefix // empty is anywhere
}

// CreateKey makes a key and returns it with the token to be shown once. Errors: ErrNoAccount, ErrName, ErrExpires,
// ErrAllow, ErrSecret, *store.Error.
func (r *Registry) CreateKey(ctx context.Context, n NewKey) (Key, string, error) {
	if err := r.checkKey(n); err != nil {
		return Key{}, "", err
	}
	if _, err := r.Find(ctx, n.AccountID); err != nil {
		return Key{}, "", err
	}
	k, token := r.draw(n)
	if err := r.insertKey(ctx, r.store.Writer(), k, token); err != nil {
		return Key{}, "", fmt.Errorf("create key: %w", err)
	}
	return k, token, nil
}

func (r *Registry) checkKey(n NewKey) error {
	switch {
	case len(r.secret) == 0:
		return ErrSecret
	case n.Lifetime < 0:
		return ErrExpires
	case len(n.Allow) > maxAllow:
		return ErrAllow
	}
	for _, prefix := range n.Allow {
		if !prefix.IsValid() {
			return ErrAllow
		}
	}
	return checkName(n.Name)
}

func (r *Registry) draw(n NewKey) (Key, string) {
	k := Key{ID: newID("key"), AccountID: n.AccountID, Name: n.Name, Status: Active, Created: r.now()}
	for _, prefix := range n.Allow {
		k.Allow = append(k.Allow, canonical(prefix))
	}
	if n.Lifetime > 0 {
		k.Expires = store.At(k.Created.Add(n.Lifetime)).Time
	}
	return k, newToken()
}

func (r *Registry) insertKey(ctx context.Context, x store.Executor, k Key, token string) error {
	_, err := x.Exec(ctx, `INSERT INTO api_keys (id, account_id, name, digest, allow, created_at, expires_at, secret_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		k.ID, k.AccountID, k.Name, digest(r.secret, token), formatAllow(k.Allow),
		store.At(k.Created), store.At(k.Expires), secretID(r.secret))
	return err
}

// UnderOtherSecrets counts the active keys that were made with another secret than this registry's, and so open nothing.
// Errors: ErrSecret, *store.Error.
func (r *Registry) UnderOtherSecrets(ctx context.Context) (n int64, err error) {
	if len(r.secret) == 0 {
		return 0, ErrSecret
	}
	err = r.store.Reader().Get(ctx, `SELECT COUNT(*) FROM api_keys
		WHERE secret_id <> $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
		store.Args{secretID(r.secret), store.At(r.now())}, &n)
	if err != nil {
		return 0, fmt.Errorf("count keys: %w", err)
	}
	return n, nil
}

// Keys lists the keys of an account, or of all accounts where accountID is empty, oldest first. Errors: ErrNoAccount,
// *store.Error.
func (r *Registry) Keys(ctx context.Context, accountID string) ([]Key, error) {
	if accountID != "" {
		if _, err := r.Find(ctx, accountID); err != nil {
			return nil, err
		}
	}
	now := r.now()
	all, err := store.All(ctx, r.store.Reader(), selectKey+` WHERE account_id = $1 OR $1 = '' ORDER BY created_at, id`,
		store.Args{accountID}, func(scan func(...any) error) (Key, error) { return scanKey(scan, now) })
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return all, nil
}

// Rotate makes a key that replaces another: same account, name and addresses, and the same lifetime from now on if
// the old one had an end. The old one works for the overlap, then expires. Errors: ErrNoKey, ErrEnded, ErrOverlap,
// ErrSecret, *store.Error.
func (r *Registry) Rotate(ctx context.Context, id string, overlap time.Duration) (Key, string, error) {
	if overlap < 0 {
		return Key{}, "", ErrOverlap
	}
	if len(r.secret) == 0 {
		return Key{}, "", ErrSecret
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
		made, token = r.draw(n)
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

// replace ends the old key, unless a racing call has ended it first.
func replace(ctx context.Context, x store.Executor, old, made Key, overlap time.Duration) error {
	end := made.Created.Add(overlap)
	if !old.Expires.IsZero() && old.Expires.Before(end) {
		end = old.Expires
	}
	n, err := x.Exec(ctx, `UPDATE api_keys SET expires_at = $2, replaced_by = $3
		WHERE id = $1 AND revoked_at IS NULL AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > $4)`,
		old.ID, store.At(end), made.ID, store.At(made.Created))
	if err == nil && n == 0 {
		return ErrEnded
	}
	return err
}

// Revoke ends a key at once. Revoking it again does nothing. Errors: ErrNoKey, *store.Error.
func (r *Registry) Revoke(ctx context.Context, id string) error {
	n, err := r.store.Writer().Exec(ctx,
		`UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1`, id, store.At(r.now()))
	if err != nil {
		return fmt.Errorf("revoke key: %w", err)
	}
	if n == 0 {
		return ErrNoKey
	}
	return nil
}

const selectKey = `SELECT id, account_id, name, allow, created_at, expires_at, revoked_at, last_used_at,
	COALESCE(replaced_by, '') FROM api_keys`

func (r *Registry) findKey(ctx context.Context, x store.Executor, id string) (Key, error) {
	k, err := scanKey(func(dest ...any) error {
		return x.Get(ctx, selectKey+` WHERE id = $1`, store.Args{id}, dest...)
	}, r.now())
	if errors.Is(err, store.ErrNoRows) {
		return Key{}, ErrNoKey
	}
	return k, err
}

// scanKey reads a row of selectKey.
func scanKey(scan func(...any) error, now time.Time) (Key, error) {
	var k Key
	var allow string
	var created, expires, revoked, used store.Instant
	err := scan(&k.ID, &k.AccountID, &k.Name, &allow, &created, &expires, &revoked, &used, &k.ReplacedBy)
	if err != nil {
		return Key{}, err
	}
	k.Created, k.Expires, k.Revoked, k.LastUsed = created.Time, expires.Time, revoked.Time, used.Time
	k.Status = k.statusAt(now)
	k.Allow, err = parseAllow(allow)
	return k, err
}

// ParseAllow reads CIDRs, and single addresses as CIDRs of one. Errors: ErrAllow.
func ParseAllow(texts []string) ([]netip.Prefix, error) {
	if len(texts) > maxAllow {
		return nil, ErrAllow
	}
	var allow []netip.Prefix
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
			allow = append(allow, canonical(netip.PrefixFrom(addr, addr.BitLen())))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, ErrAllow
		}
		allow = append(allow, canonical(prefix))
	}
	return allow, nil
}

// canonical clears the bits beyond the prefix, and writes an IPv4 network that came as ::ffff:a.b.c.d (RFC 4291,
// section 2.5.5.2) as what it is.
func canonical(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked()
}

func formatAllow(allow []netip.Prefix) string {
	texts := make([]string, len(allow))
	for i, prefix := range allow {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ",")
}

func parseAllow(text string) ([]netip.Prefix, error) {
	if text == "" {
		return nil, nil
	}
	return ParseAllow(strings.Split(text, ","))
}
