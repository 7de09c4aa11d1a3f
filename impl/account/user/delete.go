package user

import (
	"context"
	"fmt"

	"uncial/impl/account"
	"uncial/impl/store"
)

// deletedName replaces the names of deleted accounts and of their keys.
const deletedName = "deleted"

// DeleteAccount erases the personal data of an account: its name, the names and address ranges of its keys, which are
// revoked, stored replies, invitations, and the users who belong to no other account and are not operators, with their
// sessions. Points, holds and entries stay under the account's ID, so that the audit stays exact. It cannot be undone.
// Errors: account.ErrNoAccount (including if it was already deleted), *store.Error.
func (d *Directory) DeleteAccount(ctx context.Context, accountID string) error {
	now := store.At(d.now())
	err := d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		n, err := x.Exec(ctx, `UPDATE accounts SET name = $2, deleted_at = $3 WHERE id = $1 AND deleted_at IS NULL`,
			accountID, deletedName, now)
		if err != nil {
			return err
		}
		if n == 0 {
			return account.ErrNoAccount
		}
		members, err := store.All(ctx, x, `SELECT user_id FROM members WHERE account_id = $1`, store.Args{accountID},
			func(scan func(...any) error) (id string, err error) { return id, scan(&id) })
		if err != nil {
			return err
		}
		if err := eraseAccount(ctx, x, accountID, now); err != nil {
			return err
		}
		for _, id := range members {
			if err := deleteWithoutAccount(ctx, x, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete account: %w", err)
	}
	return nil
}

// eraseAccount removes what belongs to the account alone.
func eraseAccount(ctx context.Context, x store.Executor, accountID string, now store.Instant) error {
	for _, s := range []struct {
		text string
		args store.Args
	}{
		{`UPDATE api_keys SET name = $2, allow = '', revoked_at = COALESCE(revoked_at, $3) WHERE account_id = $1`, store.Args{accountID, deletedName, now}},
		// A running hold keeps its idempotency key until it ends.
		{`UPDATE holds SET idempotency_key = NULL, fingerprint = NULL, answer = NULL, answer_until = NULL
			WHERE account_id = $1 AND state <> 'held' AND idempotency_key IS NOT NULL`, store.Args{accountID}},
		{`DELETE FROM one_time_tokens WHERE account_id = $1`, store.Args{accountID}},
		{`DELETE FROM members WHERE account_id = $1`, store.Args{accountID}},
	} {
		if _, err := x.Exec(ctx, s.text, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// deleteWithoutAccount deletes a user who belongs to no account, unless the user is an operator.
func deleteWithoutAccount(ctx context.Context, x store.Executor, userID string) error {
	var n int64
	err := x.Get(ctx, `SELECT COUNT(*) FROM users u WHERE u.id = $1 AND u.is_operator = 0
		AND NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = u.id)`, store.Args{userID}, &n)
	if err != nil || n == 0 {
		return err
	}
	return eraseUser(ctx, x, userID)
}

// DeleteUser removes a user from all accounts and erases the user. Errors: ErrLastOwner if an account would have no owner,
// ErrNoUser, *store.Error.
func (d *Directory) DeleteUser(ctx context.Context, userID string) error {
	err := d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		if _, err := find(ctx, x, `id = $1`, userID); err != nil {
			return err
		}
		// In the order of their IDs, so that two deletions cannot deadlock.
		accounts, err := store.All(ctx, x, `SELECT account_id FROM members WHERE user_id = $1 ORDER BY account_id`,
			store.Args{userID}, func(scan func(...any) error) (id string, err error) { return id, scan(&id) })
		if err != nil {
			return err
		}
		for _, id := range accounts {
			if err := lockAccount(ctx, x, id); err != nil {
				return err
			}
			if err := revokeOwnersInvitations(ctx, x, id, userID); err != nil {
				return err
			}
			if _, err := x.Exec(ctx, `DELETE FROM members WHERE account_id = $1 AND user_id = $2`, id, userID); err != nil {
				return err
			}
			if err := requireOwner(ctx, x, id); err != nil {
				return err
			}
		}
		return eraseUser(ctx, x, userID)
	})
	if err != nil {
		return fmt.Errorf("delete user: %w", err)
	}
	return nil
}

// eraseUser deletes a user who is a member of no account, with sessions and links.
func eraseUser(ctx context.Context, x store.Executor, userID string) error {
	for _, statement := range []string{
		`DELETE FROM sessions WHERE user_id = $1`,
		`DELETE FROM one_time_tokens WHERE user_id = $1`,
		`DELETE FROM users WHERE id = $1`,
	} {
		if _, err := x.Exec(ctx, statement, userID); err != nil {
			return err
		}
	}
	return nil
}
