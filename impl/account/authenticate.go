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

// ErrDenied is wrapped by every reason to refuse a key. Clients must not learn the reason: an attacker who guesses keys
// could otherwise tell which ones exist.
var ErrDenied = errors.New("API key refused")

// Reasons for a refusal, for the log.
var (
	errUnknown    = fmt.Errorf("%w: unknown", ErrDenied) // including for a key with a wrong form or checksum
	errExpired    = fmt.Errorf("%w: expired", ErrDenied)
	ErrRevoked    = fmt.Errorf("%w: revoked", ErrDenied)
	errOutOfRange = fmt.Errorf("%w: not allowed from this address", ErrDenied)
	errSuspended  = fmt.Errorf("%w: the account is suspended", ErrDenied)
)

// lastUsedInterval is the precision of Key.LastUsed. It keeps a busy key from writing to the database at each request.
const lastUsedInterval = time.Minute

// Authenticate returns the account and key behind a token that is used from an address. It costs one statement, and a
// second one at most once a minute for each key, to store when it was last used. Errors: ErrDenied, whose
// text gives the reason for the log, *store.Error, and one if the registry has no secret.
func (r *Registry) Authenticate(ctx context.Context, token string, from netip.Addr) (Account, Key, error) {
	if len(r.secret) == 0 {
		return Account{}, Key{}, errSecret
	}
	if !isWellFormed(token) {
		return Account{}, Key{}, errUnknown
	}
	now := r.now()
	a, k, err := r.lookUp(ctx, digest(r.secret, token), now)
	if errors.Is(err, store.ErrNoRows) {
		return Account{}, Key{}, errUnknown
	}
	if err != nil {
		return Account{}, Key{}, fmt.Errorf("authenticate: %w", err)
	}
	if err := k.checkUse(from); err != nil {
		return Account{}, Key{}, err
	}
	if !a.Suspended.IsZero() || !a.Deleted.IsZero() {
		return Account{}, Key{}, errSuspended
	}
	r.storeLastUse(ctx, k, now)
	return a, k, nil
}

// lookUp reads the key with this digest and its account in one statement. Errors: store.ErrNoRows, *store.Error.
func (r *Registry) lookUp(ctx context.Context, digest string, now time.Time) (Account, Key, error) {
	var a Account
	var created, suspended, deleted store.Instant
	k, err := scanKey(func(dest ...any) error {
		return r.store.Reader().Get(ctx, `SELECT `+keyColumns+`, a.id, a.name, a.plan, a.created_at, a.suspended_at, a.deleted_at`+
			keysAndMeters+` JOIN accounts a ON a.id = k.account_id WHERE k.digest = $1`,
			store.Args{digest}, append(dest, &a.ID, &a.Name, &a.Plan, &created, &suspended, &deleted)...)
	}, now)
	a.Created, a.Suspended, a.Deleted = created.Time, suspended.Time, deleted.Time
	return a, k, err
}

// checkUse returns nil if the key may be used from this address, else one of the reasons above. Zones (fe80::1%eth0) do
// not count, and IPv4 addresses in IPv6 notation (::ffff:192.0.2.1) count as IPv4. An unknown address, the zero Addr,
// is in no range.
func (k Key) checkUse(from netip.Addr) error {
	switch k.Status {
	case Revoked:
		return ErrRevoked
	case Expired:
		return errExpired
	}
	from = from.Unmap().WithZone("")
	contains := func(p netip.Prefix) bool { return p.Contains(from) }
	if len(k.Allow) > 0 && !slices.ContainsFunc(k.Allow, contains) {
		return errOutOfRange
	}
	return nil
}

// storeLastUse records when a key was last used, for the listing of keys. A failure is only logged: the request continues.
func (r *Registry) storeLastUse(ctx context.Context, k Key, now time.Time) {
	due := now.Add(-lastUsedInterval)
	if k.LastUsed.After(due) {
		return
	}
	_, err := r.store.Writer().Exec(ctx, `UPDATE api_keys SET last_used_at = $2
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`, k.ID, store.At(now), store.At(due))
	if err != nil {
		r.log.LogAttrs(ctx, slog.LevelWarn, "last use of a key not stored",
			slog.String("key", k.ID), slog.Any("error", err))
	}
}
