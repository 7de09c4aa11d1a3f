package dashboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uncial/impl/account/user"
)

// Mailer sends mail in the background. A server without one sends none, and operators hand out links instead.
type Mailer interface {
	// Send queues a message of plain text. An error means that the queue is full.
	Send(ctx context.Context, to, subject, text string) error
}

// mailTime is the time after which a form that may send mail to an entered address is answered. It is longer than
// the work takes, so that the time does not reveal whether the address is known.
const mailTime = 400 * time.Millisecond

// waitUntil waits until mailTime after the beginning, or until the visitor has left.
func (c *Call) waitUntil(began time.Time) {
	select {
	case <-c.R.Context().Done():
	case <-time.After(time.Until(began.Add(mailTime))):
	}
}

func (d *Dashboard) sendLink(c *Call, to string, t user.Token) error {
	code, err := d.o.Users.Issue(c.R.Context(), t)
	if err != nil {
		return err
	}
	return d.mailCode(c, to, t.Purpose, code)
}

// sendLinkTo mails a link to t.Email, an address that the visitor has entered. It counts the message among those of sender; see
// user.Directory.IssueMail.
func (d *Dashboard) sendLinkTo(c *Call, t user.Token, sender string) error {
	code, err := d.o.Users.IssueMail(c.R.Context(), t, sender, user.Client{Addr: c.clientAddr()})
	if err != nil {
		return err
	}
	return d.mailCode(c, t.Email, t.Purpose, code)
}

// mailCode mails a one-time code: as a link, and as text for browsers without scripts, where people paste it.
func (d *Dashboard) mailCode(c *Call, to string, p user.Purpose, code string) error {
	m := mails[p]
	text := fmt.Sprintf("%s\n\n%s\n\nIf the page asks for a code, enter this one:\n\n%s\n\n%s\n",
		m.text, Link(c.PublicURL(), code), code, m.ending)
	return d.o.Mail.Send(c.R.Context(), to, m.subject, text)
}

// mails are the texts around the link.
var mails = map[user.Purpose]struct{ subject, text, ending string }{
	user.Verification: {"Confirm your e-mail address for Uncial", "Follow this link to confirm your e-mail address. It works for 24 hours.", "If you did not sign up, ignore this message."},
	user.EmailChange:  {"Confirm your new e-mail address for Uncial", "Follow this link to use this address for Uncial. It works for 24 hours.", "If you did not ask for this, ignore this message."},
	user.Reset:        {"Choose a new password for Uncial", "Follow this link to choose a new password. It works for one hour.", "If you did not ask for this, ignore this message. Your password stays the same."},
	user.Invitation:   {"Invitation to Uncial", "You are invited to Uncial. Follow this link to accept. It works for 7 days.", "If you did not expect this, ignore this message."},
}

// sendVerification mails the link that verifies the address of a user. Beyond the hourly limit it sends none, because
// strangers can ask for such mail.
func (d *Dashboard) sendVerification(c *Call, u user.User) error {
	err := d.o.Users.CountMail(c.R.Context(), user.Verification, u.Email, c.client(u.Email))
	if errors.Is(err, user.ErrTooManyMails) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.sendLink(c, u.Email, user.Token{Purpose: user.Verification, UserID: u.ID, Email: u.Email})
}

// sendAlreadyKnown tells the owner of an address that somebody has tried to sign up with it.
func (d *Dashboard) sendAlreadyKnown(c *Call, email string) error {
	err := d.o.Users.CountMail(c.R.Context(), user.Verification, email, c.client(email))
	if errors.Is(err, user.ErrTooManyMails) {
		return nil
	}
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Somebody has tried to sign up for Uncial with your e-mail address, which is already registered.\n\n"+
		"To sign in, or to choose a new password, open this page:\n\n%s\n\nIf this was not you, ignore this message.\n", c.PublicURL()+Prefix+"/sign-in")
	return d.o.Mail.Send(c.R.Context(), email, "You are already registered with Uncial", text)
}

// notice is mail that tells a user about a change which somebody else may have made. Its ending says what to do then.
type notice struct{ subject, change, ending string }

var (
	passwordChanged = notice{
		"Your password for Uncial was changed", "Your password was changed, and all sessions were ended.",
		"choose a new password on the page \"Forgot your password?\", and tell the people who run the service",
	}
	emailChanged = notice{
		"Your e-mail address for Uncial was changed", "Your e-mail address was changed. You can no longer sign in with this one.",
		"tell the people who run the service at once",
	}
	providerLinked = notice{
		"A new way to sign in to Uncial", "You can now sign in with single sign-on, too.",
		"change your password, which also removes this way to sign in, and tell the people who run the service",
	}
)

// tell mails a notice to the address that u has. The change is made, so a failure is only logged.
func (c *Call) tell(u user.User, n notice) {
	if c.d.o.Mail == nil {
		return
	}
	text := fmt.Sprintf("%s\n\n%s, %s\n\nIf this was not you, %s.\n", n.change, c.PublicURL(), formatTime(c.Now()), n.ending)
	if err := c.d.o.Mail.Send(c.R.Context(), u.Email, n.subject, text); err != nil {
		c.note(fmt.Errorf("tell a user about a change: %w", err))
	}
}
