package dashboard

import (
	"errors"
	"net/http"
	"time"

	"uncial/impl/account/user"
)

// invitation is a link with a one-time code that is shown once: to sign up, to join an account, or to choose a password.
type invitation struct {
	Code, URL string
	Expires   time.Time
}

// inviteCookie carries the code of a new invitation over the redirect.
const inviteCookie = "invite"

// issue makes an invitation, and mails it or keeps it for the next page. Operators may invite as many people as they like.
func (c *Call) issue(t user.Token) error {
	if t.Email != "" && c.d.o.Mail != nil {
		return c.d.sendLinkTo(c, t, t.AccountID)
	}
	code, err := c.d.o.Users.Issue(c.R.Context(), t)
	if err != nil {
		return err
	}
	return c.d.sealer.put(c.W, inviteCookie, c.User.ID, code)
}

// invited is the code of the message after an invitation for an e-mail address, which may be empty.
func (c *Call) invited(email string) string {
	done := "invited"
	if email != "" && c.d.o.Mail != nil {
		done = "invitation-sent"
	}
	return done
}

// rejectInvitation marks what is wrong with an invitation, and reports whether anything is. field is that of its address.
func rejectInvitation(f *form, field string, err error) bool {
	return f.rejectIf(field, err, user.ErrEmail, user.ErrTooManyMails, user.ErrTooManySent) || f.rejectIf("", err, user.ErrTooManyInvitations)
}

// takeInvitation returns the link that was just made, once.
func (c *Call) takeInvitation() (invitation, error) {
	code := c.d.sealer.take(c.W, c.R, inviteCookie, c.User.ID)
	if code == "" {
		return invitation{}, nil
	}
	t, err := c.d.o.Users.Peek(c.R.Context(), code)
	if errors.Is(err, user.ErrToken) { // used in another browser in the meantime
		return invitation{}, nil
	}
	return invitation{code, Link(c.PublicURL(), code), t.Expires}, err
}

// openInvitations are the invitations that a page lists, for the template "open-invitations".
type openInvitations struct {
	List []user.OpenInvitation
	Path string // of the forms that revoke them, up to the ID
}

// openInvitations returns the open invitations to an account; for "", those that operators have made.
func (c *Call) openInvitations(accountID, path string) (openInvitations, error) {
	list, err := c.d.o.Users.Invitations(c.R.Context(), accountID)
	return openInvitations{list, path}, err
}

// endInvitation revokes the invitation in the path.
func (c *Call) endInvitation(accountID string) error {
	err := c.d.o.Users.RevokeInvitation(c.R.Context(), accountID, c.R.PathValue("invitation"))
	if errors.Is(err, user.ErrNoInvitation) {
		return &Problem{Status: http.StatusNotFound, Title: "The invitation is not open", Text: sentence(user.ErrNoInvitation)}
	}
	return err
}
