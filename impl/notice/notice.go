// Package notice tells operators and owners in time what needs attention: keys that should be rotated, and keys that have used
// 50, 80 or 100 % of their monthly cap. It writes to the log and, where mail is configured, to the owners of the account. The
// rules for keys are in package account; pages and commands apply those rules independently. Start with Notifier.Run.
package notice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"uncial/impl/account"
	"uncial/impl/account/user"
	"uncial/impl/ledger"
	"uncial/impl/store"
)

const (
	// interval is the time between two checks: a notice at 100 % of a cap should not come much later than the first 402.
	interval = time.Minute
	// maxKeys bounds the keys of one check, oldest first. Rotating or revoking them makes room for the others.
	maxKeys = 10_000
	// lifetime is how long a given notice stays on record, so that none is repeated.
	lifetime = 400 * 24 * time.Hour
)

// shares of a cap at which owners get a notice, in percent, the largest first.
var shares = []int64{100, 80, 50}

// Mailer sends messages in the background; see mail.Mailer.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// Notifier gives each notice once, whatever the number of replicas. All fields but Mail and PagesURL are required.
type Notifier struct {
	Store    *store.Store
	Accounts *account.Registry
	Users    *user.Directory
	Ledger   *ledger.Ledger
	Mail     Mailer // nil sends no mail
	PagesURL string // address of the dashboard, for mail; empty where it is switched off
	Now      func() time.Time
	Log      *slog.Logger

	soon, urgent atomic.Int64
}

// KeysToRotate returns how many active keys had each notice at the latest check, for the metrics.
func (n *Notifier) KeysToRotate() (soon, urgent int) {
	return int(n.soon.Load()), int(n.urgent.Load())
}

// Run checks every minute until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	for {
		if err := n.check(ctx); err != nil && ctx.Err() == nil {
			n.Log.Warn("notices not checked; will retry", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

// check gives all notices that are due. Errors: *store.Error.
func (n *Notifier) check(ctx context.Context) error {
	_, err := n.Store.Writer().Exec(ctx, `DELETE FROM notices WHERE sent_at <= $1`, store.At(n.Now().Add(-lifetime)))
	return errors.Join(err, n.checkKeys(ctx), n.checkCaps(ctx))
}

// checkKeys gives the notices of keys, and updates the numbers that the metrics show.
func (n *Notifier) checkKeys(ctx context.Context) error {
	keys, err := n.Accounts.KeysToRotate(ctx, maxKeys)
	if err != nil {
		return err
	}
	var soon, urgent int64
	for _, k := range keys {
		if k.Notice == account.RotateUrgent {
			urgent++
		} else {
			soon++
		}
		if err := n.sendRotationNotice(ctx, k); err != nil {
			return err
		}
	}
	n.soon.Store(soon)
	n.urgent.Store(urgent)
	return nil
}

// sendRotationNotice gives the notice of a key.
func (n *Notifier) sendRotationNotice(ctx context.Context, k account.Key) error {
	when := fmt.Sprintf("is %d days old", k.AgeAt(n.Now()))
	if !k.Expires.IsZero() {
		when += " and expires on " + k.Expires.Format("2 January 2006, 15:04 UTC")
	}
	m := message{
		subject: fmt.Sprintf("Rotate the key %q", k.Name),
		text:    fmt.Sprintf("The API key %q%s %s. Please rotate it: the old key keeps working while you switch to the new one.", k.Name, ending(k), when),
		path:    "/keys/" + url.PathEscape(k.ID),
	}
	return n.once(ctx, k.ID, "rotate-"+string(k.Notice), k.AccountID, m, func() {
		n.Log.Warn("key should be rotated", "key", k.ID, "account", k.AccountID, "urgency", string(k.Notice),
			"days", k.AgeAt(n.Now()), "expires", k.Expires)
	})
}

// ending names the last characters of a key, if they are known.
func ending(k account.Key) string {
	if k.LastFour == "" {
		return ""
	}
	return " (ending in " + k.LastFour + ")"
}

// checkCaps gives the notices of caps of which a notable share is used; see shares.
func (n *Notifier) checkCaps(ctx context.Context) error {
	uses, err := n.Ledger.MeterUses(ctx, "")
	if err != nil {
		return err
	}
	for _, u := range uses {
		if err := n.sendCapNotice(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// sendCapNotice gives the notice for the largest of shares that the use of a cap has reached. Smaller ones are then out of
// date.
func (n *Notifier) sendCapNotice(ctx context.Context, u ledger.MeterUse) error {
	for _, percent := range shares {
		if *u.Cap == 0 || u.Used*100 < *u.Cap*percent {
			continue
		}
		month := ledger.MonthOf(n.Now())
		name, path := n.meterName(ctx, u)
		effect := "Once the cap is reached, its requests are refused until the next month."
		if u.Used >= *u.Cap {
			effect = "Its requests are refused until the next month."
		}
		m := message{
			subject: fmt.Sprintf("%s has used %d %% of its monthly cap", name, percent),
			text:    fmt.Sprintf("%s has used %d of the %d points of its monthly cap. %s", name, u.Used, *u.Cap, effect),
			path:    path,
		}
		return n.once(ctx, u.MeterID, fmt.Sprintf("cap-%d-%s", percent, month), u.AccountID, m, func() {
			n.Log.Warn("a notable share of a monthly cap is used", "meter", u.MeterID, "account", u.AccountID, "percent", percent, "used", u.Used, "cap", *u.Cap)
		})
	}
	return nil
}

// meterName returns the name of a meter for owners, and its page. The ID of a key's meter is that of the first key of a chain.
func (n *Notifier) meterName(ctx context.Context, u ledger.MeterUse) (name, path string) {
	if u.MeterID == ledger.PlaygroundMeter(u.AccountID) {
		return "The playground", "/playground"
	}
	k, err := n.Accounts.KeyOf(ctx, u.AccountID, u.MeterID)
	if err != nil {
		return "An API key", "/keys"
	}
	return fmt.Sprintf("The API key %q", k.Name), "/keys/" + url.PathEscape(k.ID)
}

// message is mail to the owners of an account; path is the page to open.
type message struct{ subject, text, path string }

// once logs and mails a notice unless it was given before. Only the replica that inserts the row in the database does so; the
// row is removed if the mail cannot be queued, so that the next check tries again.
func (n *Notifier) once(ctx context.Context, subject, kind, accountID string, m message, log func()) error {
	won, err := n.Store.Writer().Exec(ctx, `INSERT INTO notices (subject, kind, sent_at) VALUES ($1, $2, $3)
		ON CONFLICT (subject, kind) DO NOTHING`, subject, kind, store.At(n.Now()))
	if err != nil {
		return fmt.Errorf("record a notice: %w", err)
	}
	if won == 0 {
		return nil
	}
	if err := n.mail(ctx, accountID, m); err != nil {
		n.Log.Warn("notice not mailed; will retry", "account", accountID, "error", err)
		_, err := n.Store.Writer().Exec(ctx, `DELETE FROM notices WHERE subject = $1 AND kind = $2`, subject, kind)
		return err
	}
	log()
	return nil
}

// mail writes to the owners of an account whose addresses are verified.
func (n *Notifier) mail(ctx context.Context, accountID string, m message) error {
	if n.Mail == nil {
		return nil
	}
	members, err := n.Users.Members(ctx, accountID)
	if err != nil {
		return err
	}
	text := m.text + "\n"
	if n.PagesURL != "" {
		text += "\n" + n.PagesURL + m.path + "\n"
	}
	for _, member := range members {
		if member.Role != user.Owner || member.Verified.IsZero() {
			continue
		}
		if err := n.Mail.Send(ctx, member.Email, m.subject, text); err != nil {
			return err
		}
	}
	return nil
}
