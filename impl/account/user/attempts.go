package user

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"uncial/impl/store"
)

const (
	// maxSignUps bounds the sign-ups from one address within signUpWindow: each new account gets points.
	maxSignUps   = 5
	signUpWindow = 24 * time.Hour
	// maxMails bounds the messages for one purpose to one e-mail address that one client can request within mailWindow, and
	// maxMailsOfAll those that all unknown callers together can request.
	maxMails      = 3
	maxMailsOfAll = 6
	mailWindow    = time.Hour
	// maxSent bounds the messages to other addresses that one account or user can request within sentWindow, whatever the
	// addresses are, so that no account can be used to send spam.
	maxSent    = 50
	sentWindow = 24 * time.Hour
)

// Errors of the counts below.
var (
	ErrTooManySignUps = fmt.Errorf("too many sign-ups from this network; at most %d are accepted within 24 hours", maxSignUps)
	ErrTooManyMails   = errors.New("too many messages to this e-mail address; try again in an hour")
	ErrTooManySent    = fmt.Errorf("too many messages to other addresses; at most %d are sent within 24 hours; try again tomorrow", maxSent)
)

// CountSignUp counts a sign-up from an address. Loopback and unknown addresses are not counted, as in SignIn.
// Errors: ErrTooManySignUps, *store.Error.
func (d *Directory) CountSignUp(ctx context.Context, from netip.Addr) error {
	key := addressKey(from)
	if key == "" {
		return nil
	}
	return d.countUpTo(ctx, d.store.Writer(), subject("signup", key), maxSignUps, signUpWindow, ErrTooManySignUps)
}

// CountMail counts a message to an e-mail address, requested by somebody who has not proved ownership of it. Each purpose and
// each known browser has a separate count, so that strangers cannot use up the resets of an owner. Errors: ErrTooManyMails,
// *store.Error.
func (d *Directory) CountMail(ctx context.Context, p Purpose, email string, from Client) error {
	return d.countMail(ctx, d.store.Writer(), p, email, from)
}

// countMail is CountMail with x, which may be a transaction. One sender has a limit, and all senders together have another.
func (d *Directory) countMail(ctx context.Context, x store.Executor, p Purpose, email string, from Client) error {
	email = foldEmail(email)
	if from.Known != "" {
		return d.countUpTo(ctx, x, subject("mail", string(p), email, "known", from.Known), maxMails, mailWindow, ErrTooManyMails)
	}
	err := d.countUpTo(ctx, x, subject("mail", string(p), email, "address", addressKey(from.Addr)), maxMails, mailWindow, ErrTooManyMails)
	if err != nil {
		return err
	}
	return d.countUpTo(ctx, x, subject("mail", string(p), email), maxMailsOfAll, mailWindow, ErrTooManyMails)
}

// countUpTo counts one attempt in a fixed window. If the window already has limit attempts, it counts nothing and
// returns the error refused.
func (d *Directory) countUpTo(ctx context.Context, x store.Executor, subject string, limit int64, window time.Duration, refused error) error {
	now := d.now()
	var n int64
	err := x.Get(ctx, `INSERT INTO attempts (subject, count, since, latest) VALUES ($1, 1, $2, $2)
		ON CONFLICT (subject) DO UPDATE SET
			count = CASE WHEN attempts.since <= $3 THEN 1 ELSE attempts.count + 1 END,
			since = CASE WHEN attempts.since <= $3 THEN excluded.since ELSE attempts.since END,
			latest = excluded.latest
		WHERE attempts.since <= $3 OR attempts.count < $4 RETURNING count`,
		store.Args{subject, store.At(now), store.At(now.Add(-window)), limit}, &n)
	if errors.Is(err, store.ErrNoRows) {
		return refused
	}
	if err != nil {
		return fmt.Errorf("count attempt: %w", err)
	}
	return nil
}

// count counts one attempt and returns the number of attempts, this one included. Attempts followed by a pause of at least
// lifetime do not count.
func count(ctx context.Context, x store.Executor, subject string, now time.Time, lifetime time.Duration) (n int64, err error) {
	err = x.Get(ctx, `INSERT INTO attempts (subject, count, since, latest) VALUES ($1, 1, $2, $2)
		ON CONFLICT (subject) DO UPDATE SET
			count = CASE WHEN attempts.latest <= $3 THEN 1 ELSE attempts.count + 1 END,
			latest = excluded.latest
		RETURNING count`,
		store.Args{subject, store.At(now), store.At(now.Add(-lifetime))}, &n)
	return n, err
}

// subject returns the name that attempts are stored under. It is a digest, so that the table does not list addresses.
func subject(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// Sweep deletes counts and tokens that no longer matter. Any number of replicas may call it. Errors: *store.Error.
func (d *Directory) Sweep(ctx context.Context) error {
	now := d.now()
	x := d.store.Writer()
	_, err := x.Exec(ctx, `DELETE FROM attempts WHERE latest <= $1`, store.At(now.Add(-signUpWindow)))
	if err == nil {
		_, err = x.Exec(ctx, `DELETE FROM one_time_tokens WHERE expires_at <= $1`, store.At(now))
	}
	if err != nil {
		return fmt.Errorf("sweep users: %w", err)
	}
	return nil
}
