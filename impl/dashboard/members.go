package dashboard

import (
	"errors"

	"uncial/impl/account/user"
)

// inviteMember makes a link that lets somebody join the account. With mail and an address the link is mailed; otherwise the
// page that follows shows it once. Inviting an owner needs the password, so that whoever steals a session cannot make
// themselves an owner.
func inviteMember(c *Call) error {
	return change(c.invited(c.Form("invite-email")), func(c *Call, f *form) error {
		t := user.Token{Purpose: user.Invitation, AccountID: c.Account.ID, Role: user.Role(c.Form("role")), Email: c.Form("invite-email")}
		if t.Role == user.Owner {
			if err := c.confirm(f, "invite-password"); err != nil || !f.isValid() {
				return err
			}
		}
		err := c.issue(t)
		if f.rejectIf("role", err, user.ErrRole) || rejectInvitation(f, "invite-email", err) {
			return nil
		}
		return err
	})(c)
}

// revokeInvitation ends an open invitation to the account.
func revokeInvitation(c *Call) error {
	if err := c.endInvitation(c.Account.ID); err != nil {
		return err
	}
	return c.Redirect("/account", "invitation-revoked")
}

// changeMember runs a change of the member in the path.
func changeMember(done string, run func(c *Call, f *form, userID string) error) func(*Call) error {
	return func(c *Call) error {
		f := c.newFormOver(c.accountForm())
		err := run(c, f, c.R.PathValue("user"))
		switch {
		case errors.Is(err, user.ErrNoUser), errors.Is(err, user.ErrRole):
			return NotFound()
		case errors.Is(err, user.ErrLastOwner):
			return &Problem{Status: 409, Title: "The account needs an owner", Text: sentence(user.ErrLastOwner)}
		case err != nil:
			return err
		case !f.isValid():
			return c.retryAccount(f)
		}
		return c.Redirect("/account", done)
	}
}

// setRole changes the role of a member. It asks for the password before it makes an owner, as inviteMember does.
func setRole(c *Call, f *form, userID string) error {
	field, err := "password-"+userID, error(nil)
	if c.Form("role") == string(user.Owner) {
		err = c.confirm(f, field)
	} else {
		err = c.confirmOwner(f, field, userID)
	}
	if err != nil || !f.isValid() {
		return err
	}
	return c.d.o.Users.SetRole(c.R.Context(), c.Account.ID, userID, user.Role(c.Form("role")))
}

// removeMember removes a user from the account and drops what this process keeps for that user in the account. Removing another
// owner needs the password.
func removeMember(c *Call, f *form, userID string) error {
	if err := c.confirmOwner(f, "remove-"+userID, userID); err != nil || !f.isValid() {
		return err
	}
	if err := c.d.o.Users.RemoveMember(c.R.Context(), c.Account.ID, userID); err != nil {
		return err
	}
	c.d.forget(Holder{Account: c.Account.ID, User: userID})
	return nil
}

// confirmOwner asks for the password if the member is another owner, so that whoever steals a session cannot shut out the
// owners.
func (c *Call) confirmOwner(f *form, field, userID string) error {
	role, err := c.d.o.Users.RoleIn(c.R.Context(), c.Account.ID, userID)
	if err != nil || role != user.Owner || userID == c.User.ID {
		return err
	}
	return c.confirm(f, field)
}

func leave(c *Call) error {
	return changeMember("left", func(c *Call, f *form, _ string) error { return removeMember(c, f, c.User.ID) })(c)
}
