package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"uncial/impl/store"
)

// ErrDenied is what every reason to turn a key away wraps. Callers outside must not learn which one it was.
var ErrDenied = errors.New("the key does not open the door")

// The reasons, for the log.
var (
	ErrUnknown    = fmt.Errorf("%w: unknown", ErrDenied) // or misspelt
	ErrExpired    = fmt.Errorf("%w: expired", ErrDenied)
	ErrRevoked    = fmt.Errorf("%w: revoked", ErrDenied)
	ErrOutOfRange = fmt.Errorf("%w: not allowed from this address", ErrDenied)
)

const lastUsedEvery = time.Minute

// Authenticate finds the account and key behind a token that is used from an address. It costs one statement, and a
// second one at most once a minute for each key, to keep when it was last used. Errors: ErrUnknown, ErrExpired,
// ErrRevoked, ErrOutOfRange, which all are ErrDenied; ErrSecret, *store.Error.
func (r *Registry) Authenticate(ctx context.Context, token string, from netip.Addr) (Account, Key, error) {
	if len(r.secret) == 0 {
		return Account{}, Key{}, ErrSecret
	}
	if !WellFormed(token) {
		return Account{}, Key{}, ErrUnknown
	}
	now := r.now()
	a, k, err := r.lookUp(ctx, digest(r.secret, token), now)
	if errors.Is(err, store.ErrNoRows) {
		return Account{}, Key{}, ErrUnknown
	}
	if err != nil {
		return Account{}, Key{}, fmt.Errorf("authenticate: %w", err)
	}
	if err := k.admits(from); err != nil {
		return Account{}, Key{}, err
	}
	r.touch(ctx, k, now)
	return a, k, nil
}

func (r *Registry) lookUp(ctx context.Context, digest string, now time.Time) (Account, Key, error) {
	var a Account
	var created store.Instant
	k, err := scanKey(func(dest ...any) error {
		return r.store.Reader().Get(ctx, `SELECT k.id, k.account_id, k.name, k.allow, k.created_at, k.expires_at,
				k.revoked_at, k.last_used_at, COALESCE(k.replaced_by, ''), a.id, a.name, a.plan, a.created_at
			FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.digest = $1`,
			store.Args{digest}, append(dest, &a.ID, &a.Name, &a.Plan, &created)...)
	}, now)
	a.Created = created.Time
	return a, k, err
}

func (k Key) admits(from netip.Addr) error {
	switch k.Status {
	case Revoked:
		return ErrRevoked
	case Expired:
		return ErrExpired
	}
	from = from.Unmap().WithZone("")
	within := func(p netip.Prefix) bool { return p.Contains(from) }
	if len(k.Allow) > 0 && !slices.ContainsFunc(k.Allow, within) {
		return ErrOutOfRange
	}
	return nil
}

// touch keeps when the key was last used. It is a convenience of the listing: where it fails, the request goes on.
func (r *Registry) touch(ctx context.Context, k Key, now time.Time) {
	due := now.Add(-lastUsedEvery)
	if k.LastUsed.After(due) {
		return
	}
	_, err := r.store.Writer().Exec(ctx, `UPDATE api_keys SET last_used_at = $2
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`, k.ID, store.At(now), store.At(due))
	if err != nil {
		r.log.LogAttrs(ctx, slog.LevelWarn, "the last use of a key was not kept",
			slog.String("key", k.ID), slog.Any("error", err))
	}
}
