package dashboard

import (
	"errors"

	"uncial/impl/account/user"
)

// inviteMember makes a link that lets somebody join the account. With mail and an address the link is mailed; otherwise the
// page that follows shows it once.
func inviteMember(c *Call) error {
	f := c.newFormOver(c.accountForm())
	t := user.Token{Purpose: user.Invitation, AccountID: c.Account.ID, Role: user.Role(c.Form("role")), Email: c.Form("invite-email")}
	err := c.issue(t)
	if f.rejectIf("role", err, user.ErrRole) || f.rejectIf("invite-email", err, user.ErrEmail, user.ErrTooManyMails) {
		p, err := c.accountPage()
		if err != nil {
			return err
		}
		return c.retry("account", p, f)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/account", "invited")
}

// issue makes an invitation, and mails it or keeps it for the next page.
func (c *Call) issue(t user.Token) error {
	if t.Email != "" && c.d.o.Mail != nil {
		if err := c.d.o.Users.CountMail(c.R.Context(), t.Email); err != nil {
			return err
		}
		return c.d.sendLink(c, t.Email, t)
	}
	code, err := c.d.o.Users.Issue(c.R.Context(), t)
	if err != nil {
		return err
	}
	return c.d.sealer.put(c.W, inviteCookie, c.User.ID, code)
}

// changeMember runs a change of the member in the path.
func changeMember(done string, run func(c *Call, userID string) error) func(*Call) error {
	return func(c *Call) error {
		err := run(c, c.R.PathValue("user"))
		switch {
		case errors.Is(err, user.ErrNoUser), errors.Is(err, user.ErrRole):
			return NotFound()
		case errors.Is(err, user.ErrLastOwner):
			return &Problem{Status: 409, Title: "The account needs an owner", Text: sentence(user.ErrLastOwner)}
		case err != nil:
			return err
		}
		return c.Redirect("/account", done)
	}
}

func setRole(c *Call, userID string) error {
	return c.d.o.Users.SetRole(c.R.Context(), c.Account.ID, userID, user.Role(c.Form("role")))
}

func removeMember(c *Call, userID string) error {
	return c.d.o.Users.RemoveMember(c.R.Context(), c.Account.ID, userID)
}

// leave takes the visitor out of the account.
func leave(c *Call) error {
	return changeMember("left", func(c *Call, _ string) error { return removeMember(c, c.User.ID) })(c)
}
