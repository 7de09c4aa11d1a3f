package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"uncial/impl/store"
)

// KeyOf returns a key of an account. Errors: ErrNoKey (including for a key of another account), *store.Error.
func (r *Registry) KeyOf(ctx context.Context, accountID, id string) (Key, error) {
	k, err := r.findKey(ctx, r.store.Reader(), id)
	if err == nil && k.AccountID != accountID {
		err = ErrNoKey
	}
	if err != nil {
		return Key{}, fmt.Errorf("find key: %w", err)
	}
	return k, nil
}

// KeyByToken returns the record of a key by its token, even if it has ended, so that a leaked key can be matched.
// Errors: ErrNoKey, *store.Error; a registry without secret is an error too.
func (r *Registry) KeyByToken(ctx context.Context, token string) (Key, error) {
	if len(r.secret) == 0 {
		return Key{}, errSecret
	}
	_, k, err := r.lookUp(ctx, digest(r.secret, token), r.now())
	if errors.Is(err, store.ErrNoRows) {
		return Key{}, ErrNoKey
	}
	if err != nil {
		return Key{}, fmt.Errorf("find key: %w", err)
	}
	return k, nil
}

// KeyPage returns at most limit keys of an account, newest first, beginning after the key with this ID; "" begins with
// the newest. Keys that have ended are included. Errors: *store.Error.
func (r *Registry) KeyPage(ctx context.Context, accountID, after string, limit int) ([]Key, error) {
	now := r.now()
	all, err := store.All(ctx, r.store.Reader(), selectKey+` WHERE k.account_id = $1 AND ($2 = '' OR
			(k.created_at, k.id) < (SELECT created_at, id FROM api_keys WHERE id = $2))
		ORDER BY k.created_at DESC, k.id DESC LIMIT $3`,
		store.Args{accountID, after, limit}, func(scan func(...any) error) (Key, error) { return scanKey(scan, now) })
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return all, nil
}

// RenameKey changes the name of a key. Errors: ErrName, ErrNoKey, *store.Error.
func (r *Registry) RenameKey(ctx context.Context, id, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return r.updateKey(ctx, `UPDATE api_keys SET name = $2 WHERE id = $1`, id, name)
}

// SetAllow changes the addresses that a key may be used from; none means any. Errors: ErrAllow, ErrNoKey, *store.Error.
func (r *Registry) SetAllow(ctx context.Context, id string, allow []netip.Prefix) error {
	if err := checkAllow(allow); err != nil {
		return err
	}
	canonicals := make([]netip.Prefix, len(allow))
	for i, p := range allow {
		canonicals[i] = canonical(p)
	}
	return r.updateKey(ctx, `UPDATE api_keys SET allow = $2 WHERE id = $1`, id, formatAllow(canonicals))
}

// SetCap changes the cap of a key and of the keys that it replaced or that replaced it; nil removes the cap. What was
// used this month counts. Errors: ErrCap, ErrNoKey, *store.Error.
func (r *Registry) SetCap(ctx context.Context, id string, points *int64) error {
	if !isCap(points) {
		return ErrCap
	}
	err := r.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if err := addMeter(ctx, x, id); err != nil {
			return err
		}
		return x.ExecOr(ctx, ErrNoKey, `UPDATE meters SET cap = $2 WHERE id = (SELECT meter_id FROM api_keys WHERE id = $1)`, id, points)
	})
	if err != nil {
		return fmt.Errorf("set cap: %w", err)
	}
	return nil
}

// addMeter gives a key a meter if it has none, because a replica of an older version made it.
func addMeter(ctx context.Context, x store.Executor, id string) error {
	_, err := x.Exec(ctx, `INSERT INTO meters (id, account_id)
		SELECT id, account_id FROM api_keys WHERE id = $1 AND meter_id IS NULL ON CONFLICT (id) DO NOTHING`, id)
	if err == nil {
		_, err = x.Exec(ctx, `UPDATE api_keys SET meter_id = id WHERE id = $1 AND meter_id IS NULL`, id)
	}
	return err
}

// updateKey runs a statement that changes one key. Errors: ErrNoKey, *store.Error.
func (r *Registry) updateKey(ctx context.Context, statement string, args ...any) error {
	return r.store.Writer().ExecOr(ctx, ErrNoKey, statement, args...)
}
