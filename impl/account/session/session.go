// Package session stores the sessions of people who are signed in, for github.com/alexedwards/scs. All replicas share
// them. Cookies and the content of sessions are up to package dashboard. Start with Store.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/scs/v2"

	"uncial/impl/store"
)

// UserKey is the name of the session value with the ID of the user who is signed in, a string. The store reads it, so that
// the sessions of a user can be listed and ended.
const UserKey = "user"

const (
	// sweepBatch bounds the sessions that one statement deletes.
	sweepBatch = 1000
	// endedLifetime is how long the row of an ended session stays: longer than any request runs.
	endedLifetime = time.Hour
)

// Store implements scs.CtxStore. It stores digests of tokens, so that a stolen database contains no usable session. It is
// safe for concurrent use.
type Store struct {
	store *store.Store
	clock func() time.Time
	codec scs.GobCodec
}

var _ scs.CtxStore = (*Store)(nil)

// New returns the sessions stored in st. now is the clock, by which sessions expire; it must not be nil.
func New(st *store.Store, now func() time.Time) *Store { return &Store{store: st, clock: now} }

// Session describes one session of a user, without its content.
type Session struct {
	ID      string    `json:"id"` // digest of the token
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"` // latest write, such as a new idle deadline
	Expires time.Time `json:"expires"`
}

// FindCtx returns the data of the session with this token. found is false if there is none, or if it has ended or expired.
// Errors: *store.Error.
func (s *Store) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = s.store.Reader().Get(ctx, `SELECT data FROM sessions WHERE digest = $1 AND expires_at > $2`,
		store.Args{ID(token), store.At(s.clock())}, &data)
	if errors.Is(err, store.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", err)
	}
	return data, true, nil
}

// CommitCtx stores the data of a session. Its user is that of the value UserKey. It stores nothing if the session has
// ended since the request read it, or if its user was deleted. Errors: *store.Error, or an error if the data cannot be
// decoded.
func (s *Store) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	_, values, err := s.codec.Decode(data)
	if err != nil {
		return fmt.Errorf("decode session: %w", err)
	}
	var user *string
	if id, ok := values[UserKey].(string); ok && id != "" {
		user = &id
	}
	_, err = s.store.Writer().Exec(ctx, `INSERT INTO sessions (digest, user_id, data, created_at, used_at, expires_at)
		SELECT $1, $2, $3, $4, $4, $5 WHERE $6 = 0 OR EXISTS (SELECT 1 FROM users WHERE id = $7)
		ON CONFLICT (digest) DO UPDATE SET user_id = excluded.user_id, data = excluded.data,
			used_at = excluded.used_at, expires_at = excluded.expires_at
		WHERE sessions.expires_at > excluded.used_at`,
		ID(token), user, data, store.At(s.clock()), store.At(expiry), isUser(user), user)
	if err != nil {
		return fmt.Errorf("store session: %w", err)
	}
	return nil
}

// isUser is 1 if the session has a user, else 0.
func isUser(user *string) int64 {
	if user == nil {
		return 0
	}
	return 1
}

// DeleteCtx ends a session. Ending one that does not exist does nothing. Errors: *store.Error.
func (s *Store) DeleteCtx(ctx context.Context, token string) error {
	return s.end(ctx, `digest = $2`, ID(token))
}

// List returns the sessions of a user that have not expired, the latest used first, at most limit. Errors: *store.Error.
func (s *Store) List(ctx context.Context, userID string, limit int) ([]Session, error) {
	all, err := store.All(ctx, s.store.Reader(), `SELECT digest, created_at, used_at, expires_at FROM sessions
		WHERE user_id = $1 AND expires_at > $2 ORDER BY used_at DESC, digest LIMIT $3`,
		store.Args{userID, store.At(s.clock()), limit},
		func(scan func(...any) error) (Session, error) {
			var one Session
			var created, used, expires store.Instant
			err := scan(&one.ID, &created, &used, &expires)
			one.Created, one.Used, one.Expires = created.Time, used.Time, expires.Time
			return one, err
		})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return all, nil
}

// EndAll ends all sessions of a user: "sign out everywhere". Errors: *store.Error.
func (s *Store) EndAll(ctx context.Context, userID string) error {
	return s.end(ctx, `user_id = $2`, userID)
}

// End ends the session of a user that has this Session.ID. It does nothing if the user has no such session. Errors:
// *store.Error.
func (s *Store) End(ctx context.Context, userID, id string) error {
	return s.end(ctx, `user_id = $2 AND digest = $3`, userID, id)
}

// EndOldest keeps at most limit sessions of a user, current and the most recently used others, and ends the rest.
// Errors: *store.Error.
func (s *Store) EndOldest(ctx context.Context, userID, current string, limit int) error {
	return s.end(ctx, `user_id = $2 AND digest <> $3 AND digest NOT IN (SELECT digest FROM sessions
		WHERE user_id = $2 AND digest <> $3 AND expires_at > $1 ORDER BY used_at DESC, digest LIMIT $4)`, userID, current, limit-1)
}

// end ends the sessions that meet the condition. Their rows stay until Sweep, so that a running request cannot store its
// session again.
func (s *Store) end(ctx context.Context, condition string, args ...any) error {
	_, err := s.store.Writer().Exec(ctx, `UPDATE sessions SET user_id = NULL, data = '', expires_at = $1
		WHERE expires_at > $1 AND `+condition, append([]any{store.At(s.clock())}, args...)...)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// Sweep deletes sessions that ended an hour ago, at most 1,000 a call. Any number of replicas may call it. Errors:
// *store.Error.
func (s *Store) Sweep(ctx context.Context) error {
	_, err := s.store.Writer().Exec(ctx, `DELETE FROM sessions WHERE digest IN
		(SELECT digest FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		store.At(s.clock().Add(-endedLifetime)), sweepBatch)
	if err != nil {
		return fmt.Errorf("sweep sessions: %w", err)
	}
	return nil
}

// ID returns the ID of the session with this token: the SHA-256 digest of the token in hexadecimal, which the database holds in
// place of the token.
func ID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Find implements scs.Store, which scs calls only without a context.
func (s *Store) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store.
func (s *Store) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete implements scs.Store.
func (s *Store) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
